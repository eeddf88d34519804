"""A fifth language is added as the translators' page tells it: German, of which there is a first page and nothing else yet."""

import re

import pytest
from babel.messages.catalog import Catalog

from autograder import catalogue, languages, messages
from book.tools import proofread, typography
from book.tools.paths import BOOK

from .test_build import SmallBook

LINE = '    Language("de", "de", "Deutsch", "Attention, Kopf für Kopf", "Abbildung %s", "Tabelle %s"),\n'


@pytest.fixture
def german(tmp_path):
    """A small book to which German has been added: one line in languages.py, one page, and a list of what waits."""
    book = SmallBook(tmp_path)
    place = tmp_path / "book" / "tools" / "languages.py"
    source = place.read_text(encoding="utf-8")
    place.write_text(source.replace(")\nBY_CODE", f"{LINE})\nBY_CODE"), encoding="utf-8")
    book.write("de", "start", "# Anfang\n\nEin Satz. Siehe {ref}`there`.\n\n")
    book.listed("book/de/next.md")
    return book


def test_its_site_is_built_and_leads_to_english_for_the_rest(german):
    done = german.build("en", "de")
    assert done.returncode == 0, done.stdout + done.stderr
    page = (german.root / "_build" / "site" / "de" / "start.html").read_text(encoding="utf-8")
    assert 'lang="de"' in page and "Attention, Kopf für Kopf" in page
    assert re.search(r'href="\.\./en/next\.html', page), "the page that waits is not linked in English"
    english = (german.root / "_build" / "site" / "en" / "start.html").read_text(encoding="utf-8")
    assert "Deutsch" in english, "the switcher does not know the new language"


def test_the_site_is_refused_where_a_page_is_neither_there_nor_on_the_list(german):
    german.listed()
    done = german.build("de")
    assert done.returncode == 1 and "book/de/next.md" in done.stderr


def test_feedback_can_be_translated_text_by_text(tmp_path, monkeypatch):
    for module in (catalogue, messages):
        monkeypatch.setattr(module, "LOCALE", tmp_path)
        monkeypatch.setattr(module, "LANGUAGES", (*languages.LANGUAGES, "de"))
    monkeypatch.setattr(catalogue, "TRANSLATED", ("de",))
    waiting = catalogue.update()["de"]
    assert len(waiting) > 50, "all texts of the autograder itself wait in a new language"
    text = "The file cannot be read ({reason}). Submit it again."
    assert text in waiting
    german = catalogue.read("de")
    assert isinstance(german, Catalog)
    german[text].string = "Die Datei ist nicht lesbar ({reason}). Gib sie noch einmal ab."
    catalogue.po("de").write_bytes(catalogue._dump(german))
    assert text not in catalogue.missing("de")


def test_proofreading_needs_no_rules_to_begin_with():
    assert "de" not in typography.RULES
    english = (BOOK / "en" / "catalogue.md").read_text(encoding="utf-8")
    assert proofread.of_text("de", "book/de/page.md", "# Ein Kopf\n\nEin Satz – mit 0.6 “Zeichen”.\n", english) == []
