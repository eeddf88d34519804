"""What a chapter has to have: numbers that something carries, lines that fit, its question, self-check, summary and sources."""

import nbformat
import pytest

from book.tools import lint, numbers, toc
from book.tools.blocks import parse
from book.tools.languages import CODES, SOURCE
from book.tools.paths import BOOK
from tests.book.test_build import HEAD, convert

CHAPTERS = [name for name in toc.chapters() if lint.is_chapter(name)]
EVERY_PAGE = sorted(f"{code}/{path.name}" for code in CODES for path in (BOOK / code).glob("*.md"))


def test_the_table_of_contents_lists_what_is_there():
    assert lint.contents() == []


@pytest.mark.parametrize("name", CHAPTERS)
def test_every_number_in_prose_is_carried(site, name):
    found = numbers.problems(BOOK / SOURCE / f"{name}.md")
    assert found == [], "\n".join([*found, numbers.REMEDY])


@pytest.mark.parametrize("page", EVERY_PAGE)
def test_code_fits_on_the_page(page):
    assert lint.long_lines(page, (BOOK / page).read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("name", CHAPTERS)
def test_a_chapter_has_its_parts(name):
    assert lint.structure(name, (BOOK / SOURCE / f"{name}.md").read_text(encoding="utf-8")) == []


# --- numbers

CODE = "# 77 is in a comment\nn_tokens = 2048\nloss = 1.38629"


def found(prose, output="loss 0.9331, 29.6, 7.5e-4"):
    cell = nbformat.v4.new_code_cell(CODE, outputs=[nbformat.v4.new_output("stream", text=output)])
    text = f"{HEAD}# Title\n\n{prose}\n\n```{{code-cell}} ipython3\n{CODE}\n```\n\nFormula $x = 576$ and `n = 131` here.\n"
    return [each.number for each in numbers.findings("page.md", text, nbformat.v4.new_notebook(cells=[cell]))]


@pytest.mark.parametrize("prose", [
    "Twelve or 12, and 3 of them.",
    "At 2,048 tokens, or 2048.",
    "About 1.39, about 1.4, 0.93, 93.3 %, 93 per cent, some 30, and 0.00075.",
    "In 2017, and 64-bit or 16-bit numbers; GPT-2, 70B, Llama-3 and 10⁶.",
    "On Python 3.11 or newer.",
    "The 576 of the formula and the 131 of the code.",
    "Its 32,768 numbers {cite}`deepseek2024v2` are known.",
    "See `77`, $77$, {ref}`77 <x>` and [there](https://example.org/77).",
    "| a | 2,048 |\n|---|---|\n| b {cite}`x` | 999 |",
    "% number 999: the reader works it out\n\nIt is 999.",
    "```{dropdown} 2,048?\n1.39.\n```",
])
def test_a_number_that_is_carried(prose):
    assert found(prose) == []


@pytest.mark.parametrize("prose, number", [
    ("It is 13.", "13"),
    ("It is 77.", "77"),
    ("It is 2,049.", "2,049"),
    ("It is 1.38.", "1.38"),
    ("It is 0.5.", "0.5"),
    ("It costs 31 %.", "31"),
    ("It is 93.3 in all.", "93.3"),
    ("- an item of 99", "99"),
    ("## A heading of 99", "99"),
    ("| a | 99 |\n|---|---|\n| b {cite}`x` | 1 |", "99"),
    ("```{dropdown} Answer\nIt is 99.\n```", "99"),
    ("Cited {cite}`x` 99.\n\nAnd 98 here.", "98"),
    ("% number 999: a reason\n\nIt is 998 and 999.", "998"),
])
def test_a_number_that_nothing_carries_is_named(prose, number):
    assert found(prose) == [number]


def test_a_finding_says_where_it_stands():
    text = f"{HEAD}# Title\n\nOne.\n\nThere are 99 balloons in it.\n"
    says = str(numbers.findings("en/x.md", text, nbformat.v4.new_notebook())[0])
    assert says == f"en/x.md, line {text.splitlines().index('There are 99 balloons in it.') + 1}: “There are 99 balloons in it.”: 99"


def test_an_exception_needs_a_reason_and_a_number():
    assert found("% number 99: \n\nIt is 99.") == ["% number 99: "]
    assert found("% number 99: a reason\n\nNothing.") == ["99"]


def test_a_comment_is_no_text():
    text = "One.\n% number 99: a reason\nTwo.\n"
    assert [block.text for block in parse(text)] == ["One.", "Two."] and "99" not in convert(text)


def test_the_page_is_taken_from_the_last_build_or_executed(site, tmp_path, monkeypatch):
    page = tmp_path / "en" / "90-page.md"
    page.parent.mkdir()
    page.write_text(f"{HEAD}# Title\n\nIt is 98 and 99.\n\n```{{code-cell}} ipython3\nprint(3 * 33)\n```\n", encoding="utf-8")
    assert numbers.problems(page) == ["en/90-page.md, line 9: “It is 98 and 99.”: 98"]
    monkeypatch.setattr(numbers, "execute", None)
    assert numbers.executed(BOOK / SOURCE / f"{CHAPTERS[0]}.md").cells
    assert any(cell.get("outputs") for cell in numbers.executed(BOOK / SOURCE / f"{CHAPTERS[0]}.md").cells)


# --- lines

@pytest.mark.parametrize("line, fits", [
    ("x" * 88, True),
    ("x" * 89, False),
    ("# " + "注" * 43, True),
    ("# " + "注" * 44, False),
    ("%config " + "x" * 100, True),
])
def test_a_line_that_is_too_long_is_named(line, fits):
    text = f"# Title\n\n```{{code-cell}} ipython3\n---\nalt: {'x' * 100}\n---\n{line}\n```\n{'x' * 100}\n"
    assert len(lint.long_lines("page.md", text)) == (0 if fits else 1)
    assert fits or "page.md, line 7: " in lint.long_lines("page.md", text)[0]


# --- form

CHAPTER = HEAD + "(x)=\n# Title\n\n**Why is it so?**\n\n(x-check)=\n## Check\n\n" + "".join(
    f"(x-question-{number})=\n**{number}.** Which?\n\n```{{dropdown}} Answer\nThis.\n```\n\n" for number in (1, 2, 3)
) + "(x-summary)=\n## Summary\n\nSo.\n\n(x-references)=\n## References\n\n```{bibliography}\n```\n"


def test_a_chapter_as_it_should_be():
    assert lint.structure("en/x.md", CHAPTER) == []


@pytest.mark.parametrize("was, becomes, says", [
    ("**Why is it so?**", "It is so.", "the question that it answers"),
    ("(x)=\n# Title", "# Title", "has to begin with a label"),
    ("(x-question-3)=\n**3.** Which?\n\n```{dropdown} Answer\nThis.\n```\n", "", "2 self-check questions"),
    ("(x-question-2)=\n", "", "2 self-check questions"),
    ("(x-question-2)=", "(x-question-4)=", "not numbered in order"),
    ("(x-question-3)=\n**3.** Which?\n\n```{dropdown} Answer", "(x-question-3)=\n**3.** Which?\n\n```{note} Answer", "no answer in a {dropdown}"),
    ("(x-summary)=\n## Summary", "(x-end)=\n## Summary", "(x-summary)="),
    ("(x-check)=", "(check)=", "(x-check)="),
    ("(x-references)=\n", "", "(x-references)="),
    ("```{bibliography}\n```\n", "", "no {bibliography}"),
    ("(x-summary)=\n", "", "no label above the heading"),
])
def test_a_part_that_is_missing_is_named(was, becomes, says):
    assert was in CHAPTER
    assert any(says in problem and "x.md" in problem for problem in lint.structure("en/x.md", CHAPTER.replace(was, becomes, 1)))


def test_a_page_outside_the_contents_and_one_that_is_missing_are_named(monkeypatch):
    monkeypatch.setattr(toc, "chapters", lambda: ["00-welcome", "00-welcome", "99-nowhere"])
    said = "\n".join(lint.contents())
    assert "lists 99-nowhere, and there is no" in said and "01-single-head.md is not in _toc.yml" in said and "00-welcome 2 times" in said


def test_the_command(capsys):
    assert lint.main(["book/en/nowhere.md"]) == 2 and "There is no book/en/nowhere.md" in capsys.readouterr().err


def test_the_command_names_the_rule_on_numbers_and_its_remedies(monkeypatch, capsys, tmp_path):
    page = tmp_path / "en" / "90-page.md"
    page.parent.mkdir()
    page.write_text(CHAPTER.replace("So.", "There are 99 balloons in it."), encoding="utf-8")
    monkeypatch.setattr(numbers, "executed", lambda page: nbformat.v4.new_notebook())
    assert lint.main([str(page)]) == 1
    finding, remedy = capsys.readouterr().out.splitlines()
    assert "“There are 99 balloons in it.”: 99" in finding
    assert "in a cell" in remedy and "cite" in remedy and "% number 90: reason" in remedy
    page.write_text(CHAPTER, encoding="utf-8")
    assert lint.main([str(page)]) == 0 and "All is well." in capsys.readouterr().out
