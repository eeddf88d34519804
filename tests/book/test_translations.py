"""The drift gate: every translation agrees with its English, and the gate sees what is planted."""

import shutil
import subprocess

import pytest

from autograder import languages as feedback
from book.tools import formerly, languages, untranslated
from book.tools.blocks import parse
from book.tools.compare import differences
from book.tools.paths import ROOT
from book.tools.translations import FOLDERS, RECORD, TRANSLATIONS, main, record, status, wait

ENGLISH = """---
kernelspec: {name: python3}
---

(start)=
# A beginning

There are 1,000 cats and $x^2$ dogs in `cell`, see {ref}`the end <end>`.

```{code-cell} ipython3
---
tags: [hide-input]
mystnb:
  image:
    alt: "A cat."
---
name = "cat"  # the animal
print(f"{name}: {len(name):>3}")
```

- first item
- second item

$$
a = b
$$ (eq-one)

```{dropdown} Why?
Because of *this*.
```

(end)=
## The end

| a | b |
|---|---|
| one | two |
"""

SWEDISH = """---
kernelspec: {name: python3}
---

(start)=
# En början

Det finns 1\u00a0000 katter och $x^2$ hundar i `cell`, se {ref}`slutet <end>`.

```{code-cell} ipython3
---
tags: [hide-input]
mystnb:
  image:
    alt: "En katt."
---
name = "katt"  # djuret
print(f"{name} har {len(name):>3}")
```

- första punkten
- andra punkten

$$
a = b
$$ (eq-one)

```{dropdown} Varför?
Därför att *så* är det.
```

(end)=
## Slutet

| a | b |
|---|---|
| ett | två |
"""


@pytest.mark.parametrize("language", TRANSLATIONS)
def test_every_translation_agrees_with_its_english(language):
    assert status(language) == []


def test_the_site_and_the_feedback_speak_the_same_languages():
    assert languages.CODES == feedback.LANGUAGES


def test_a_true_translation_passes():
    assert differences(ENGLISH, SWEDISH) == []


@pytest.mark.parametrize("was, becomes, says", [
    ("1\u00a0000", "1\u00a0001", "numbers"),
    ("$x^2$", "$x^3$", "formulas"),
    ("`cell`", "`cellen`", "code in it"),
    ("<end>", "<start>", "references"),
    ("a = b", "a = c", "formula"),
    ("(end)=", "(slut)=", "label"),
    ("## Slutet", "### Slutet", "heading"),
    ("len(name)", "len(name) + 1", "code differs"),
    ('name = "katt"', 'namn = "katt"', "code differs"),
    ("[hide-input]", "[remove-input]", "options"),
    ("- andra punkten\n", "", "stands where"),
    ("Därför att *så* är det.", "Därför att *så* är det.\n\nOch mer.", "stands where"),
    ("Varför?", "Varför 7?", "numbers"),
    ("| ett | två |", "| ett | 2 |", "numbers"),
    ("print(f", "print(", "code differs"),
])
def test_a_planted_fault_is_found(was, becomes, says):
    assert was in SWEDISH
    found = differences(ENGLISH, SWEDISH.replace(was, becomes, 1))
    assert len(found) >= 1 and says in found[0] and "line " in found[0]


def test_a_paragraph_left_in_english_is_found():
    english = ENGLISH.replace("Because of *this*.", "Because of this and that and more of it.")
    found = differences(english, SWEDISH.replace("Därför att *så* är det.", "Because of this and that and more of it."))
    assert len(found) == 1 and "still in English" in found[0]


@pytest.fixture
def project(tmp_path):
    """A small project with one page in two languages, recorded."""
    for folder in FOLDERS:
        (tmp_path / folder / "en").mkdir(parents=True)
        (tmp_path / folder / "sv").mkdir()
    (tmp_path / "book" / "en" / "page.md").write_text(ENGLISH, encoding="utf-8")
    (tmp_path / "book" / "sv" / "page.md").write_text(SWEDISH, encoding="utf-8")
    assert record("sv", root=tmp_path) == 0
    assert status("sv", tmp_path) == []
    return tmp_path


def test_a_changed_english_sentence_names_exactly_its_paragraph(project):
    page = project / "book" / "en" / "page.md"
    page.write_text(ENGLISH.replace("Because of *this*.", "Because of *that*, as it happens."), encoding="utf-8")
    line = page.read_text(encoding="utf-8").splitlines().index("Because of *that*, as it happens.") + 1
    assert status("sv", project) == [f"book/sv/page.md: the English has changed at its line {line}: “Because of *that*, as it happens.”"]


def test_the_words_that_have_changed_are_shown_where_git_knows_the_old_ones(project):
    def git(*arguments):
        names = ["-c", "user.name=n", "-c", "user.email=e@example.org"]
        subprocess.run(["git", "-C", project, *names, *arguments], check=True, capture_output=True)

    git("init", "-q")
    git("add", "-A")
    git("commit", "-q", "-m", "first")
    page = project / "book" / "en" / "page.md"
    page.write_text(ENGLISH.replace("*this*", "*that*"), encoding="utf-8")
    said = [line.partition(": the English has changed at its ")[2] for line in status("sv", project)]
    assert said == ["line 29: Because of [-*this*.-] {+*that*.+}"]


@pytest.mark.parametrize(("before", "now", "said"), [
    ("a b c d e f g h i j k l", "a b c d e f g h i j k m", "… h i j k [-l-] {+m+}"),
    ("a b c d e f g h i j k l", "x b c d e f g h i j k l", "[-a-] {+x+} b c d e …"),
    ("a b c d e f g h i j k l", "x b c d e f g h i j k m", "[-a-] {+x+} b c d e … h i j k [-l-] {+m+}"),
    ("a b", "a new b", "a {+new+} b"),
    ("a old b", "a b", "a [-old-] b"),
])
def test_words_that_differ(before, now, said):
    assert formerly.differing(before, now) == said


def test_a_paragraph_whose_english_alone_has_changed_is_not_recorded(project, capsys):
    english, swedish = (project / "book" / code / "page.md" for code in ("en", "sv"))
    english.write_text(ENGLISH.replace("Because of *this*.", "Because of *that*, as it happens."), encoding="utf-8")
    assert record("sv", ["page.md"], project) == 1
    said = capsys.readouterr().err
    assert "“Därför att *så* är det.”" in said and "--same" in said and said.count("\n") == 1
    assert len(status("sv", project)) == 1, "nothing has been recorded"
    swedish.write_text(SWEDISH.replace("Därför att *så* är det.", "Därför att det råkar vara *så*."), encoding="utf-8")
    assert record("sv", ["page.md"], project) == 0 and status("sv", project) == []


def test_a_paragraph_that_holds_as_it_is_can_be_recorded(project):
    page = project / "book" / "en" / "page.md"
    page.write_text(ENGLISH.replace("Because of *this*.", "By reason of *this*."), encoding="utf-8")
    assert record("sv", ["page.md"], project, same=True) == 0 and status("sv", project) == []


def test_paragraphs_that_have_changed_places_are_recorded(project):
    items = (("en", ENGLISH, "- first item", "- second item"), ("sv", SWEDISH, "- första punkten", "- andra punkten"))
    for code, text, first, second in items:
        moved = text.replace(first, "-").replace(second, first).replace("-\n", f"{second}\n", 1)
        (project / "book" / code / "page.md").write_text(moved, encoding="utf-8")
    assert record("sv", ["page.md"], project) == 0


def test_reflowed_english_is_no_change(project):
    page = project / "book" / "en" / "page.md"
    page.write_text(ENGLISH.replace("and $x^2$ dogs", "and\n$x^2$ dogs"), encoding="utf-8")
    assert status("sv", project) == []


def test_a_missing_page_an_extra_one_and_a_missing_record_are_named(project):
    shutil.copy(project / "book" / "en" / "page.md", project / "book" / "en" / "new.md")
    shutil.copy(project / "book" / "sv" / "page.md", project / "book" / "sv" / "old.md")
    (project / "book" / "sv" / RECORD).unlink()
    found = "\n".join(status("sv", project))
    assert "new.md: not translated" in found and "old.md: there is no English page" in found and "page.md: no record" in found


def test_what_waits_is_on_the_list_and_nothing_else(project):
    shutil.copy(project / "book" / "en" / "page.md", project / "solutions" / "en" / "kv-cache.md")
    shutil.copy(project / "book" / "en" / "page.md", project / "book" / "en" / "new.md")
    assert len(status("sv", project)) == 2
    wait(project)
    assert [each for each in untranslated.read(project) if "/sv/" in each] == ["book/sv/new.md", "solutions/sv/kv-cache.md"]
    assert status("sv", project) == [] and untranslated.strays(project) == []

    shutil.copy(project / "book" / "sv" / "page.md", project / "book" / "sv" / "new.md")
    found = "\n".join(status("sv", project))
    assert "book/sv/new.md: translated, so take it off the list" in found
    assert record("sv", ["new.md"], project) == 0, "recording it takes it off"
    assert status("sv", project) == [] and "book/sv/new.md" not in untranslated.read(project)


@pytest.mark.parametrize("entry, says", [
    ("book/sv/nowhere.md", "there is no English page"),
    ("book/sv/page.md", "take it off the list"),
    ("book/tlh/page.md", "not of the form"),
    ("sv/page", "not of the form"),
    ("book/en/page.md", "not of the form"),
])
def test_an_entry_that_is_not_true_is_named(project, entry, says):
    untranslated.write([entry], project)
    found = [*untranslated.strays(project), *status("sv", project)]
    assert len(found) == 1 and says in found[0] and entry in found[0]


def test_the_list_is_true():
    assert untranslated.strays() == []
    assert [line for code in TRANSLATIONS for line in untranslated.problems(code)] == []


def test_a_translation_that_does_not_agree_is_not_recorded(project, capsys):
    page = project / "book" / "sv" / "page.md"
    page.write_text(SWEDISH.replace("1\u00a0000", "2"), encoding="utf-8")
    assert record("sv", root=project) == 1 and "numbers" in capsys.readouterr().err


def test_the_command_says_what_is_to_be_done(capsys):
    assert main([]) == 0 and "up to date" in capsys.readouterr().out
    with pytest.raises(SystemExit):
        main(["--record", "tlh"])


@pytest.mark.parametrize("arguments", [["--record", "sv"], ["--record", "sv", "01-single-head.md", "--all"]])
def test_recording_takes_names_or_all(arguments, capsys):
    with pytest.raises(SystemExit):
        main(arguments)
    assert "--all" in capsys.readouterr().err


def test_what_is_missing_names_its_remedy(project):
    shutil.copy(project / "book" / "en" / "page.md", project / "book" / "en" / "new.md")
    assert "--wait" in "".join(status("sv", project))


@pytest.mark.parametrize(("swedish", "says"), [
    ("Det finns 2 katter och 3.", "the numbers: the English has 1, and this has not; this has 3, and the English has not: "),
    ("Det finns 1 katt, och 2 och 2.", "the numbers: the English has 2 once, and this twice: "),
])
def test_what_differs_is_said_in_words(swedish, says):
    found = differences("There is 1 cat and 2.\n", f"{swedish}\n")
    assert len(found) == 1 and says in found[0]


def test_pages_are_cut_into_blocks():
    kinds = [block.kind for block in parse(ENGLISH)]
    assert kinds == ["label", "heading 1", "paragraph", "code-cell", "item", "item", "formula", "directive dropdown", "paragraph", "label", "heading 2", "table"]
    assert parse(ENGLISH)[0].line == 5


def test_every_page_of_the_course_can_be_cut():
    for folder in FOLDERS:
        for page in (ROOT / folder).glob("*/*.md"):
            assert parse(page.read_text(encoding="utf-8")), page
