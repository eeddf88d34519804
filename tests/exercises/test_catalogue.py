"""Collecting texts and merging them with translations."""

import pytest
from babel.messages.pofile import read_po

from autograder import catalogue


@pytest.fixture
def project(tmp_path, monkeypatch):
    """An empty project of the same layout; a function that writes its one module and updates the catalogues."""
    monkeypatch.setattr(catalogue, "PACKAGE", tmp_path)
    monkeypatch.setattr(catalogue, "ASSIGNMENTS", tmp_path / "assignments")
    monkeypatch.setattr(catalogue, "LOCALE", tmp_path / "locale")
    monkeypatch.setattr(catalogue, "SOLUTIONS", tmp_path / "solutions")

    def write(source):
        (tmp_path / "module.py").write_text(source, encoding="utf-8")
        return catalogue.update()

    return write


def translate(code, **strings):
    """Put translations into a language's file."""
    path = catalogue.po(code)
    text = path.read_text(encoding="utf-8")
    for english, string in strings.items():
        english = english.replace("_", " ")
        text = text.replace(f'msgid "{english}"\nmsgstr ""', f'msgid "{english}"\nmsgstr "{string}"')
    path.write_text(text, encoding="utf-8")


def test_all_kinds_of_calls_are_found(project):
    source = '_("one")\nmessage("two " "parts", x=1)\nngettext("{n} is", "{n} are", n)\nmessages("a", "b", 2)\n_(variable)\nother("no")\n'
    assert project(source)["sv"] == ["one", "two parts", ("{n} is", "{n} are"), ("a", "b")]


def test_docstrings_that_students_read_are_found(project, tmp_path):
    folder = tmp_path / "assignments" / "x"
    (folder / "wrong").mkdir(parents=True)
    (folder / "public.py").write_text('"""No."""\n@stage("a")\ndef one(s):\n    """Public\n    check."""\n\ndef helper():\n    """No."""\n')
    (folder / "test_hidden.py").write_text('def test_one(s):\n    """Hidden test."""\n\ndef helper():\n    """No."""\n')
    (folder / "wrong" / "w.py").write_text('"""Wrong\nsolution."""\ndef f():\n    """No."""\n')
    exercise_in(tmp_path, "ru", "x")
    (folder / "assignment.py").write_text('_("not this: it stands for student code")')
    assert sorted(project("")["ru"]) == ["Hidden test.", "Public check.", "Wrong solution."]


def exercise_in(folder, language, name):
    """Write the prose of an exercise in a language."""
    (folder / "solutions" / language).mkdir(parents=True)
    (folder / "solutions" / language / f"{name}.md").write_text("# Exercise")


def test_an_assignments_texts_wait_for_its_exercise(project, tmp_path):
    folder = tmp_path / "assignments" / "x"
    (folder / "wrong").mkdir(parents=True)
    (folder / "wrong" / "w.py").write_text('"""Wrong."""\n')
    exercise_in(tmp_path, "sv", "x")
    found = project('_("said by the engine")')
    assert found == {"sv": ["said by the engine", "Wrong."], "zh-CN": ["said by the engine"], "ru": ["said by the engine"]}
    assert catalogue.waiting("ru") == {"x": ["Wrong."]} and catalogue.waiting("sv") == {}
    translate("ru", said_by_the_engine="сказано")
    assert catalogue.missing("ru") == [] and catalogue.read("ru").get("Wrong.") is not None, "a translator finds it in the file all the same"


def test_translations_stay(project):
    project('_("one")\n_("two")')
    translate("sv", one="ett")
    assert project('_("two")\n_("one")')["sv"] == ["two"]
    assert catalogue.read("sv").get("one").string == "ett"


def test_a_changed_text_is_untranslated_and_shows_the_old_one(project):
    project('_("The mask is wrong")')
    translate("sv", The_mask_is_wrong="Masken är fel")
    assert project('_("The mask is quite wrong")')["sv"] == ["The mask is quite wrong"]
    text = catalogue.po("sv").read_text(encoding="utf-8")
    assert "# formerly: The mask is wrong" in text and "# translated: Masken är fel" in text and "fuzzy" not in text


def test_the_old_text_goes_once_the_new_one_is_translated(project):
    project('_("The mask is wrong")')
    translate("sv", The_mask_is_wrong="Masken är fel")
    project('_("The mask is quite wrong")')
    project('_("The mask is quite wrong")')  # an update in between loses nothing
    assert "# translated: Masken är fel" in catalogue.po("sv").read_text(encoding="utf-8")
    translate("sv", The_mask_is_quite_wrong="Masken är helt fel")
    assert project('_("The mask is quite wrong")')["sv"] == []
    assert "formerly" not in catalogue.po("sv").read_text(encoding="utf-8")


def test_obsolete_texts_go(project):
    project('_("one")')
    translate("sv", one="ett")
    project('_("something else entirely")')
    assert "ett" not in catalogue.po("sv").read_text(encoding="utf-8")


def test_two_updates_give_the_same_bytes(project):
    project('_("one")\nngettext("{n} a", "{n} b", n)')
    first = {code: catalogue.po(code).read_bytes() for code in catalogue.TRANSLATED}
    project('_("one")\nngettext("{n} a", "{n} b", n)')
    assert first == {code: catalogue.po(code).read_bytes() for code in catalogue.TRANSLATED}


def test_each_language_has_its_plural_forms(project):
    project('ngettext("{n} a", "{n} b", n)')
    counts = {}
    for code in catalogue.TRANSLATED:
        with catalogue.po(code).open("rb") as file:
            counts[code] = read_po(file).num_plurals
    assert counts == {"sv": 2, "zh-CN": 1, "ru": 3}


def test_what_is_compiled_is_what_was_asked_for(project):
    import gettext
    import io

    project('_("one")\n_("two")')
    translate("sv", one="ett", two="två")
    compiled = gettext.GNUTranslations(io.BytesIO(catalogue.compiled("sv", {"one"})))
    assert (compiled.gettext("one"), compiled.gettext("two")) == ("ett", "two")
    assert catalogue.compiled("en", {"one"}) is None
