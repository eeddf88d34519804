"""The smallest windows, no scripts, no server: what a reader needs is there, and nothing lies over it."""

import pytest

from book.tools.languages import CODES

from .browsing import goto
from .test_browser import address, browser, pytestmark  # noqa: F401

SMALLEST = {"width": 320, "height": 700}


@pytest.fixture
def opened(browser):  # noqa: F811
    """Opens a page in a context of its own, with the settings given."""
    contexts = []

    def open_(url: str, **settings):
        contexts.append(browser.new_context(**{"viewport": SMALLEST} | settings))
        page = contexts[-1].new_page()
        goto(page, url)
        return page

    yield open_
    for context in contexts:
        context.close()


@pytest.mark.parametrize("code", CODES)
def test_the_bar_and_its_lists_fit_the_smallest_window(code, opened, address):  # noqa: F811
    page = opened(f"{address}/{code}/11-choosing.html")
    for name in ("language-switcher", "launch"):
        if page.locator(f".{name}").count():
            page.locator(f".{name} summary").click()
            box = page.locator(f".{name} nav").bounding_box()
            assert box["x"] >= 0 and box["x"] + box["width"] <= SMALLEST["width"]
            page.keyboard.press("Escape")
    buttons = page.locator(".article-header-buttons > *").evaluate_all("all => all.map((each) => each.getBoundingClientRect().top)")
    assert max(buttons) - min(buttons) < 10  # in one row
    assert page.evaluate("document.documentElement.scrollWidth") <= SMALLEST["width"]


@pytest.mark.parametrize("code", CODES)
def test_links_to_the_next_page_break_no_word(code, opened, address):  # noqa: F811
    page = opened(f"{address}/{code}/11-choosing.html")
    page.add_style_tag(content=".prev-next-title { overflow-wrap: normal !important; hyphens: manual !important; }")
    assert page.locator(".prev-next-title").evaluate_all("all => all.every((each) => each.scrollWidth <= each.clientWidth + 1)")


def test_the_list_of_sections_goes_when_one_is_chosen(opened, address):  # noqa: F811
    page = opened(f"{address}/ru/09-flash.html", viewport={"width": 390, "height": 800})
    page.locator(".secondary-toggle").click()
    page.locator("#pst-secondary-sidebar-modal[open] a[href='#flash-traffic']").click()
    assert page.locator("#pst-secondary-sidebar-modal[open]").count() == 0
    page.wait_for_timeout(300)
    section = "document.getElementById('flash-traffic')"
    assert page.url.endswith("#flash-traffic") and 0 <= page.evaluate(f"{section}.getBoundingClientRect().top") < 150
    assert page.evaluate(f"{section}.contains(document.activeElement)")


def test_what_is_searched_for_does_not_lie_on_the_magnifier(opened, address):  # noqa: F811
    page = opened(f"{address}/ru/search.html")
    icon = page.locator("main form.bd-search .fa-magnifying-glass").bounding_box()
    field = page.locator("main form.bd-search input")
    begin = field.bounding_box()["x"] + field.evaluate("(each) => parseFloat(getComputedStyle(each).paddingLeft)")
    assert icon["x"] + icon["width"] <= begin


def test_the_button_for_the_table_of_contents_shows_its_focus(opened, address):  # noqa: F811
    page = opened(f"{address}/en/01-single-head.html", viewport={"width": 1280, "height": 800})
    page.keyboard.press("Tab")  # from now on the focus is shown
    button = page.locator(".bd-header-article .primary-toggle")
    button.focus()
    assert button.evaluate("(each) => getComputedStyle(each).outlineStyle") == "solid"


def test_without_scripts_pages_have_colours_and_a_table_of_contents(opened, address):  # noqa: F811
    page = opened(f"{address}/sv/02-masks.html", java_script_enabled=False)
    assert page.locator(".bd-header-article").evaluate("(bar) => getComputedStyle(bar).backgroundColor") not in ("rgba(0, 0, 0, 0)", "transparent")
    assert page.locator("article a").first.evaluate("(link) => getComputedStyle(link).color") != page.locator("article p").first.evaluate(
        "(each) => getComputedStyle(each).color")
    assert not page.locator(".sidebar-toggle").first.is_visible()
    contents = page.locator(".bd-sidebar-primary a[href='03-multi-head.html']")
    assert contents.is_visible() and contents.bounding_box()["y"] > page.locator("article").bounding_box()["y"]


def colours(page):
    """What the things that pages are made of look like."""
    shown = ["html", "body", ".bd-header-article", ".bd-sidebar-primary a", "article h1", "article p", "article a", "article pre", "article pre .k",
        "article pre .s2", "details.admonition", "details.admonition summary", "article table th", "article table td", "article img",
        ".prev-next-area a", ".quiz", ".footer p"]
    return page.evaluate("""(shown) => Object.fromEntries(shown.flatMap((each) => {
        const element = document.querySelector(each);
        if (!element) return [];
        const { color, backgroundColor, borderColor, filter, colorScheme } = getComputedStyle(element);
        return [[each, [color, backgroundColor, borderColor, filter, colorScheme]]];
    }))""", shown)


@pytest.mark.parametrize("scheme", ["dark", "light"])
@pytest.mark.parametrize("place", ["en/01-single-head.html", "ru/glossary.html"])
def test_without_scripts_pages_are_dark_where_their_reader_wants_it(opened, address, place, scheme):  # noqa: F811
    looks = [colours(opened(f"{address}/{place}", java_script_enabled=scripts, color_scheme=scheme)) for scripts in (True, False)]
    assert looks[0] == looks[1]


def test_a_page_that_is_opened_as_a_file_offers_nothing_that_it_cannot_do(opened, site, address):  # noqa: F811
    offered = "[data-launch='browser'], [data-launch='exercise']"
    assert opened(f"{address}/en/01-single-head.html").locator(offered).count() > 0
    page = opened((site / "en" / "01-single-head.html").as_uri())
    assert page.locator(offered).count() == 0
    assert not [each for each in page.locator(".launch").all() if each.locator("li").count() == 0]
    assert page.locator("article h1").is_visible()


def test_an_address_that_is_none_stops_nothing(opened, address):  # noqa: F811
    page = opened(f"{address}/en/01-single-head.html#100%")
    page.wait_for_function("() => document.querySelectorAll('article > section > section.laid-out').length > 0")


def test_a_browser_that_stores_nothing_is_dark_where_its_reader_wants_it(opened, address):  # noqa: F811
    """Such a browser raises wherever storage is asked for."""
    page = opened("about:blank", color_scheme="dark")
    page.add_init_script("Object.defineProperty(window, 'localStorage', { configurable: true, get() { throw new DOMException('no storage', 'SecurityError'); } });")
    goto(page, f"{address}/en/02-masks.html")
    assert page.get_attribute("html", "data-theme") == "dark"
