"""Formulas with the signs that stand against them, and short code, are not broken."""

import pytest
from docutils import nodes

from book.tools.ext import unbroken
from tests.book.test_site import PAGES, page


@pytest.mark.parametrize(("before", "after", "together"), [
    ("So ", ". Next", ("", ".")),
    ("（", "，再", ("（", "，")),
    ("see ", " and", None),
    ("«", "» и", ("«", "»")),
    ("при ", "\u00a0— то", ("", "\u00a0—")),
    ("", "…), which", ("", "…),")),
])
def test_what_goes_with_a_formula(before, after, together):
    formula = nodes.math("", "x")
    paragraph = nodes.paragraph("", "", *([nodes.Text(before)] if before else []), formula, nodes.Text(after))
    text = paragraph.astext()
    unbroken.wrap(formula)
    assert paragraph.astext() == text
    if together is None:
        assert formula.parent is paragraph
    else:
        whole = formula.parent
        assert whole["classes"] == ["unbroken"] and whole.astext() == f"{together[0]}x{together[1]}"


def test_a_formula_alone_stays_as_it_is():
    formula = nodes.math("", "x")
    paragraph = nodes.paragraph("", "", formula)
    unbroken.wrap(formula)
    assert paragraph.children == [formula]


@pytest.mark.parametrize(("code", "name"), PAGES)
def test_no_formula_of_a_page_can_be_parted_from_the_sign_after_it(site, code, name):
    parted = [str(formula.next_sibling)[:10] for formula in page(site / code / f"{name}.html").select(".bd-article span.math")
              if isinstance(formula.next_sibling, str) and unbroken.CLOSING.match(formula.next_sibling) and "unbroken" not in formula.parent.get("class", [])]
    assert parted == []
