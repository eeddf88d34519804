"""Lists that the book makes from the course's own files: the catalogue of mistakes, and the glossary."""

import pytest

from autograder import assignment
from autograder.assignment import SOLUTIONS
from book.tools import catalogue, glossary
from book.tools.languages import CODES


@pytest.mark.parametrize("name", assignment.names())
def test_every_wrong_solution_is_listed_under_its_test(name):
    text = catalogue.listed(name, "en")
    loaded = assignment.load(name)
    assert [wrong for wrong in loaded.wrong if text.count(f"- `{wrong}`: ") != 1] == []
    assert all(variant.explanation in text for variant in loaded.wrong.values())


def test_it_is_in_the_pages_language():
    assert "строк" in catalogue.listed("single-head", "ru") and "строк" not in catalogue.listed("single-head", "en")


@pytest.mark.parametrize("code", CODES)
def test_the_page_has_the_exercises_that_the_language_has(code):
    text = catalogue.catalogue(code)
    assert [name for name in assignment.names() if (f"{{dropdown}} {name} (" in text) != (SOLUTIONS / code / f"{name}.md").exists()] == []


def test_an_unknown_exercise_is_an_error():
    with pytest.raises(assignment.UnknownAssignment, match="double-head"):
        catalogue.listed("double-head", "en")


@pytest.mark.parametrize("code", CODES)
def test_every_term_is_there_in_every_language(code):
    rows = glossary.terms()
    assert [row for row in rows if not all(row[each] for each in CODES)] == []
    assert [row["en"] for row in rows if [other["en"] for other in rows].count(row["en"]) > 1] == []
    lines = [line for line in glossary.listed(code).splitlines() if line]
    items = [line for line in lines if line.startswith("- **")]
    assert len(items) == len(rows) and all(line.startswith(("- **", "  ")) for line in lines)
