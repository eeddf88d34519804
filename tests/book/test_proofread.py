"""Proofreading: the translations are in good order, and each gate sees the fault that is planted for it."""

import pytest

from book.tools import glossary, proofread, terms
from book.tools.languages import SOURCE
from book.tools.paths import ROOT
from book.tools.translations import FOLDERS, README, TRANSLATIONS

NBSP = "\u00a0"
PAGES = [path.relative_to(ROOT).as_posix() for folder in FOLDERS for code in TRANSLATIONS
         for path in sorted((ROOT / folder / code).glob("*.md")) if path.name != README]
CELL = "```{code-cell} ipython3\n---\nmystnb:\n  image:\n    alt: \"%s\"\n---\n%s\n```\n"


@pytest.mark.parametrize("page", PAGES)
def test_a_translation_is_in_good_order(page):
    path = ROOT / page
    assert proofread.of_file(path.parent.name, path) == []


@pytest.mark.parametrize("code", TRANSLATIONS)
def test_what_students_are_told_is_in_good_order(code):
    assert proofread.of_messages(code) == []


def faults(code, text, english="A paragraph.\n"):
    """What is found in a page, without the place: the middle of each sentence."""
    return [one.split(": ", 1)[1].split(": “")[0] for one in proofread.of_text(code, f"book/{code}/page.md", text, english)]


@pytest.mark.parametrize(("code", "text", "fault"), [
    ("sv", 'Han sa "hej" till alla.', "quotation marks are ”…”"),
    ("sv", "Han sa “hej” till alla.", "quotation marks are ”…”"),
    ("sv", "Han sa ”hej till alla.", "”…” do not come in pairs"),
    ("sv", "Ett ord - ett till.", "a dash is – with spaces"),
    ("sv", "Ett ord — ett till.", "a dash is – with spaces"),
    ("sv", "Ett ord–ett till.", "a dash between words has spaces around it"),
    ("sv", "Talet 65 504 är störst.", "a no-break space separates thousands"),
    ("sv", "Det är 50 % kvar.", "a no-break space stands before %"),
    ("sv", "Det är 50% kvar.", "a no-break space stands before %"),
    ("ru", 'Он сказал "да".', "quotation marks are «…»"),
    ("ru", "Он сказал “да”.", "quotation marks are «…»"),
    ("ru", "Он сказал «да.", "«…» do not come in pairs"),
    ("ru", "Слово - это слово.", "a dash is —"),
    ("ru", "Слово – это слово.", "a dash is —"),
    ("ru", "Слово — это слово.", "a no-break space stands before —"),
    ("ru", f"Слово{NBSP}—это слово.", "a space stands after —"),
    ("ru", "Тoкен смотрит назад.", "Latin and Cyrillic letters in one word"),
    ("ru", "Наибольшее число 65 504.", "a no-break space separates thousands"),
    ("zh-CN", "这是token的意思。", "a space stands between Chinese and Latin"),
    ("zh-CN", "函数`softmax` 很快。", "a space stands between Chinese and Latin"),
    ("zh-CN", "公式 $x^2$很短。", "a space stands between Chinese and Latin"),
    ("zh-CN", "一个 词。", "no space stands between Chinese characters"),
    ("zh-CN", "一个词， 两个词。", "no space stands beside full-width punctuation"),
    ("zh-CN", "一个词,两个词。", "punctuation is full-width"),
    ("zh-CN", "一个词.", "punctuation is full-width"),
    ("zh-CN", "一个词(两个词)。", "brackets are full-width"),
    ("zh-CN", '他说"好"。', "quotation marks are “…”"),
    ("zh-CN", "他说“好。", "“…” do not come in pairs"),
    ("zh-CN", "一个词...", "an ellipsis is ……"),
    ("zh-CN", "一个词—两个词。", "a dash is ——"),
])
def test_a_fault_of_typography_is_seen(code, text, fault):
    assert fault in faults(code, text)


@pytest.mark.parametrize(("code", "text"), [
    ("sv", f"Han sa ”hej” – och 65{NBSP}504 är 50{NBSP}%, `x - y` och GPT-3 175B."),
    ("ru", f"Он сказал «да»{NBSP}— и 65{NBSP}504 это 50{NBSP}%; KV-кэш, `x - y`."),
    ("zh-CN", "他说“好”，然后 token 看 `softmax`（公式 $x^2$）。**哪些？** 两种……——如此。"),
])
def test_good_typography_passes(code, text):
    assert faults(code, text) == []


@pytest.mark.parametrize("code", ["sv", "ru"])
def test_english_separators_are_seen_where_the_english_has_them(code):
    assert "a number has the English separators" in faults(code, "0.6 och 1", "It is 0.6 and 1.\n")
    assert "a number has the English separators" in faults(code, "65,504", "It is 65,504.\n")
    assert faults(code, "Python 3.11 och 0,6", "In Python 3.11 it is 0.6.\n") == []


@pytest.mark.parametrize(("code", "text"), [
    ("sv", "En mening, and then the sentence goes on in English with more words."),
    ("ru", "Предложение, and then the rest of it was left."),
    ("zh-CN", "一个句子 and then the rest of it was left."),
])
def test_english_left_in_a_paragraph_is_seen(code, text):
    assert "English words" in faults(code, text)
    assert faults(code, f"% english {text.split(' ', 1)[1]}: a title\n{text}") == []


def test_names_in_a_row_pass_and_sentences_do_not():
    assert "many English words in a row" in faults("ru", "Здесь Long Rows Mean English Sentences, и точка.")
    assert faults("ru", "Модель Llama 3.1 обучена.") == []


@pytest.mark.parametrize("code", TRANSLATIONS)
def test_english_left_in_a_cell_is_seen(code):
    english = CELL % ("Two lines that cross.", 'ax.set_title("weights of each head")  # one line for each head')
    left = faults(code, english, english)
    assert left.count("still English in a cell") == 3  # the description, the string and the comment


def test_an_exceptions_message_is_code():
    cell = CELL % ("…", 'raise ValueError("there is no such head here")')
    assert faults("ru", cell, cell) == []


def test_a_term_that_the_glossary_has_otherwise_is_seen():
    english = "A mask is a table.\n\nThe mask hides.\n\nThis mask shows.\n"
    assert faults("ru", "Маска — это таблица.\n\nМаской скрывают.\n\nМаски показывают.\n".replace(" —", f"{NBSP}—"), english) == []
    assert "the English speaks of mask in 3 paragraphs, and the glossary's маска is in none of them" in faults("ru", "Трафарет.\n\nТрафарет.\n\nТрафарет.\n", english)


def test_a_word_to_avoid_is_seen():
    assert "say token" in faults("zh-CN", "一个令牌。")
    assert "say токен" in faults("ru", "Эта лексема.")


def test_a_glyph_that_no_font_has_is_seen():
    assert any("no font of the figures has '🙂'" in one for one in faults("sv", CELL % ("…", 'ax.set_title("🙂")'), CELL % ("…", 'ax.set_title("🙂")')))


def test_chinese_beside_a_formula_in_a_figure_is_seen():
    cell = CELL % ("…", 'ax.set_title("权重 $w_q$")')
    assert any("the font of formulas has no Chinese" in one for one in faults("zh-CN", cell, cell))


def test_a_wide_line_of_code_is_seen():
    cell = CELL % ("…", "x = 1  # " + "ж" * 90)
    assert any("99 columns, and 88 fit" in one for one in proofread.of_text("ru", "book/ru/page.md", cell, cell))


def test_every_term_has_a_word_in_every_language():
    for row in glossary.terms():
        assert all(row[code] for code in (SOURCE, *TRANSLATIONS)), row


def test_patterns_to_avoid_belong_to_a_language_and_say_what_instead():
    assert all(terms.avoided(code) for code in TRANSLATIONS)
    assert all(instead for code in TRANSLATIONS for _, instead in terms.avoided(code))


def test_the_command_refuses_an_unknown_language(capsys):
    assert proofread.main(["xx"]) == 2
    assert "xx is none of" in capsys.readouterr().err


def test_the_command_explains_itself(capsys):
    with pytest.raises(SystemExit) as ended:
        proofread.main(["--help"])
    said = capsys.readouterr().out
    assert ended.value.code == 0 and "LANGUAGE" in said and "NAME" in said and "zh-CN" in said


@pytest.mark.parametrize("code", TRANSLATIONS)
def test_a_readme_gives_the_commands_that_there_are(code):
    """A README in another language is shorter; every command in it is one of the English README's, but for the language's own."""
    def commands(path):
        lines = [line.split("#")[0].strip() for block in path.read_text(encoding="utf-8").split("```bash\n")[1:] for line in block.split("```")[0].splitlines()]
        return {line.replace(f"LANG_CODE={code} ", "").replace(f" LANG_CODE={code}", "").replace(f"exercises/{code}/", "exercises/en/").replace(f"--record {code}", "--record sv") for line in lines if line}
    english = {line.replace("LANG_CODE=sv ", "").replace(" LANG_CODE=sv", "") for line in commands(ROOT / "README.md")}
    assert {line for line in commands(ROOT / "book" / code / README) if line.startswith(("make", ".venv", "nbgrader"))} - english == set()
