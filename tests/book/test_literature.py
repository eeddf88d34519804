"""The literature: each citation's words head an entry of the list, in the page's language and in order."""

import re

import pytest
from pybtex.database import Person, parse_file

from book.tools.ext import bibliography
from book.tools.paths import REFERENCES
from tests.book.test_site import PAGES, page

LEFT_IN_ENGLISH = re.compile(r"\band others\b|, and [A-ZŁ]|\w and [A-ZŁ]\w+ [A-ZŁ]|\. In [A-Z]|\bvolume \d")


@pytest.mark.parametrize(("code", "name"), PAGES)
def test_a_citation_reads_as_its_entry_does(site, code, name):
    soup = page(site / code / f"{name}.html")
    labels = {entry["id"]: plain(entry.select_one(".label")).strip("[]") for entry in soup.select(".citation")}
    first = [re.split("[ ,]", label)[0].lower() for label in labels.values()]
    assert first == sorted(first)
    for citation in soup.select(".bibtex-citation"):
        for link in citation.select("a.internal"):
            said, label = plain(citation), labels[link["href"].lstrip("#")]
            assert label in said or label.replace(", ", " [") in said, said


@pytest.mark.parametrize(("code", "name"), [(code, name) for code, name in PAGES if code != "en"])
def test_entries_have_no_english_but_titles(site, code, name):
    for entry in page(site / code / f"{name}.html").select(".citation p"):
        for title in entry.select("em, a"):
            title.extract()
        names, _, rest = plain(entry).partition(". ")
        assert not LEFT_IN_ENGLISH.search(names) and not re.search(r"\. In *,|\bvolume \d", rest), plain(entry)


def plain(element) -> str:
    return " ".join(element.get_text().split())


@pytest.mark.parametrize(("names", "said"), [
    (["Shazeer, Noam"], "Shazeer"),
    (["Milakov, Maxim", "Gimelshein, Natalia"], "Milakov and Gimelshein"),
    (["de Jong, Michiel", "Ainslie, Joshua", "Lee, James"], "de Jong et al."),
    (["{DeepSeek-AI}"], "DeepSeek-AI"),
])
def test_names_by_which_a_work_is_cited(names, said):
    assert bibliography.cited([Person(name) for name in names]) == said


def test_braces_are_no_part_of_the_order():
    assert bibliography.Order().person_key(Person("{DeepSeek-AI}")).strip() == "deepseek-ai"


def test_no_two_sources_are_cited_by_the_same_words():
    """A letter after the year tells them apart: 2024a, 2024b."""
    entries = parse_file(str(REFERENCES), bib_format="bibtex").entries.values()
    said = bibliography.Labels().format_labels([entry for entry in entries if "author" in entry.persons])
    assert len(said) == len(set(said)), sorted(each for each in set(said) if said.count(each) > 1)
