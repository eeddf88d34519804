"""A chapter on paper: the text alone, in the colours of a white page, answers open, code within the page; and afterwards as before."""

import pytest

from book.tools.languages import CODES

from .browsing import goto
from .test_browser import address, browser, pytestmark  # noqa: F401

A4 = {"width": 680, "height": 1000}  # what the margins leave of a page
BREAKS = "(box) => `${getComputedStyle(box).display} ${getComputedStyle(box).breakInside}`"
HIDDEN = (".bd-header-article", ".bd-sidebar-primary", ".bd-sidebar-secondary", ".prev-next-footer", ".headerlink", "div.cell details.hide",
          ".quiz-progress")


@pytest.mark.parametrize("code", CODES)
def test_a_printed_chapter(code, browser, address):  # noqa: F811
    context = browser.new_context(viewport=A4, color_scheme="dark")
    page = context.new_page()
    goto(page, f"{address}/{code}/01-single-head.html")
    answers = page.locator("article details:not(.hide)")
    closed = answers.evaluate_all("boxes => boxes.filter((box) => !box.open).length")
    assert closed > 0
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.get_attribute("html", "data-theme") == "light"
    assert answers.evaluate_all("boxes => boxes.every((box) => box.open)")
    for selector in HIDDEN:
        assert not page.locator(selector).evaluate_all("found => found.some((each) => each.checkVisibility())"), selector
    assert page.locator("article h1").is_visible()
    assert page.locator("article pre").evaluate_all("found => found.filter((each) => each.scrollWidth > each.clientWidth + 1).length") == 0
    assert page.evaluate("document.documentElement.scrollWidth") <= A4["width"]
    listings = page.locator("article :is(div.cell_input, div.cell_input div.highlight, div.cell_output div.highlight)")
    assert listings.evaluate_all(f"boxes => [...new Set(boxes.filter((box) => box.checkVisibility()).map({BREAKS}))]") == ["block auto"]
    assert page.locator("article div.math").evaluate_all("boxes => [...new Set(boxes.map((box) => getComputedStyle(box).breakInside))]") == ["avoid"]
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.get_attribute("html", "data-theme") == "dark"
    assert answers.evaluate_all("boxes => boxes.filter((box) => !box.open).length") == closed
    context.close()


def test_a_chapter_becomes_a_pdf(browser, address):  # noqa: F811
    page = browser.new_page()
    goto(page, f"{address}/en/01-single-head.html")
    data = page.pdf(format="A4")
    assert data.startswith(b"%PDF") and 10 < data.count(b"/Type /Page\n") + data.count(b"/Type /Page ") < 40
    page.close()
