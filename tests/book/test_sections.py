"""A long page is laid out section by section; whoever comes in the middle of it, without scripts or to print, sees no difference."""

import pytest

from .browsing import goto, reload
from .test_browser import address, browser, pytestmark  # noqa: F401

CHAPTER = "en/01-single-head.html"
SECTIONS = "article > section > section"
HEADING_IN_SECTION = "(each) => [each.offsetHeight, each.querySelector('h2').getBoundingClientRect().top - each.getBoundingClientRect().top]"
ALL_LAID_OUT = f"() => [...document.querySelectorAll('{SECTIONS}')].every((each) => each.classList.contains('laid-out'))"


def look(page, states: str):
    """What a computed style says of all sections."""
    return set(page.eval_on_selector_all(SECTIONS, f"found => found.map((each) => getComputedStyle(each).{states})"))


def top(page, name: str) -> float:
    """Where a section begins, in pixels below the window's upper edge, once the page has come to rest."""
    page.wait_for_timeout(300)
    return page.evaluate(f"document.getElementById('{name}').getBoundingClientRect().top")


@pytest.fixture
def phone(browser):  # noqa: F811
    context = browser.new_context(viewport={"width": 390, "height": 800})
    yield context.new_page()
    context.close()


def test_sections_wait_until_there_is_time_for_them(phone, address):  # noqa: F811
    phone.add_init_script("window.requestIdleCallback = (what) => { (window.later ??= []).push(what); }")
    phone.goto(f"{address}/{CHAPTER}", wait_until="load")
    phone.wait_for_function("window.later?.length === 1")
    assert look(phone, "contentVisibility") == {"auto"}
    last = phone.locator(SECTIONS).last
    before = last.evaluate("(each) => each.offsetHeight")
    phone.evaluate("while (window.later.length) window.later.shift()()")
    assert phone.evaluate(ALL_LAID_OUT) and look(phone, "contentVisibility") == {"visible"}
    assert last.evaluate("(each) => each.offsetHeight") != before


PLACES = [("en/01-single-head.html", "single-head-order", 390), ("en/01-single-head.html", "single-head-order", 1280),
          ("en/11-choosing.html", "choosing-decide", 1280), ("ru/03-multi-head.html", "multi-head-matmul", 390)]


@pytest.mark.parametrize("chapter, name, width", PLACES)
def test_who_follows_a_link_into_a_late_section_stays_there(chapter, name, width, phone, address):  # noqa: F811
    """Also at a second visit, when all files are there before the page is."""
    phone.set_viewport_size({"width": width, "height": 800})
    for _ in range(3):
        phone.goto("about:blank")
        phone.goto(f"{address}/{chapter}#{name}", wait_until="load")
        phone.wait_for_function(ALL_LAID_OUT)
        assert 0 <= top(phone, name) < 150


@pytest.mark.parametrize("chapter, name, width", PLACES[:2])
def test_a_reload_keeps_the_place(chapter, name, width, phone, address):  # noqa: F811
    phone.set_viewport_size({"width": width, "height": 800})
    goto(phone, f"{address}/{chapter}")
    phone.wait_for_function(ALL_LAID_OUT)
    phone.evaluate(f"scrollBy(0, document.getElementById('{name}').getBoundingClientRect().top - 100)")
    before = top(phone, name)
    reload(phone)
    phone.wait_for_function(ALL_LAID_OUT)
    assert abs(top(phone, name) - before) < 5


def test_sections_do_not_move_when_they_are_laid_out(phone, address):  # noqa: F811
    """Margins stay inside a section, or the gap above each heading would shrink before the reader's eyes."""
    phone.add_init_script("window.requestIdleCallback = () => {}")
    phone.goto(f"{address}/{CHAPTER}", wait_until="load")
    first = phone.locator(SECTIONS).first
    first.scroll_into_view_if_needed()
    sizes = []
    for name in ("remove", "add"):
        first.evaluate(f"(each) => each.classList.{name}('laid-out')")
        phone.wait_for_timeout(100)
        sizes.append(first.evaluate(HEADING_IN_SECTION))
    assert sizes[0] == sizes[1]


def test_all_of_a_page_is_there_without_scripts(browser, address):  # noqa: F811
    context = browser.new_context(java_script_enabled=False, viewport={"width": 680, "height": 1000})
    page = context.new_page()
    page.goto(f"{address}/{CHAPTER}", wait_until="load")
    assert look(page, "contentVisibility") == {"visible"}
    context.close()


def test_all_of_a_page_is_printed_before_it_is_laid_out(phone, address):  # noqa: F811
    phone.add_init_script("window.requestIdleCallback = () => {}")
    phone.goto(f"{address}/{CHAPTER}", wait_until="load")
    assert look(phone, "contentVisibility") == {"auto"}
    phone.emulate_media(media="print")
    assert look(phone, "contentVisibility") == {"visible"}
