"""The buttons above the text: with a keyboard, for who listens, after a page has been left, and with storage that is forbidden or full."""

import pytest

from book.tools.languages import CODES

from .browsing import goto
from .test_browser import address, browser, pytestmark  # noqa: F401
from .test_narrow import opened  # noqa: F401

PHONE, DESK = {"width": 390, "height": 800}, {"width": 1300, "height": 900}
CHAPTER = "01-single-head.html"
FOCUSED = "() => document.activeElement.matches('{}')"
FORBIDDEN = """for (const name of ["localStorage", "sessionStorage"]) Object.defineProperty(window, name, { configurable: true,
    get() { throw new DOMException("no storage", "SecurityError"); } });"""
FULL = "Storage.prototype.setItem = () => { throw new DOMException('full', 'QuotaExceededError'); };"


def problems(page):
    """What goes wrong on a page from now on."""
    found = []
    page.on("pageerror", lambda error: found.append(str(error)))
    return found


@pytest.mark.parametrize(("toggle", "dialog"), [(".primary-toggle", "primary"), (".secondary-toggle", "secondary"), (".search-button", None)])
def test_the_focus_comes_back_to_the_button_on_a_phone(toggle, dialog, opened, address):  # noqa: F811
    page = opened(f"{address}/en/{CHAPTER}", viewport=PHONE)
    button = page.locator(f".bd-header-article {toggle}")
    button.focus()
    page.keyboard.press("Enter")
    shown = page.locator(f"#pst-{dialog}-sidebar-modal" if dialog else "#pst-search-dialog")
    shown.and_(page.locator("[open]")).wait_for()
    assert shown.get_attribute("aria-label") or page.locator(f"#{shown.get_attribute('aria-labelledby')}").first.text_content().strip()
    if dialog:
        assert button.get_attribute("aria-expanded") == "true"
    page.keyboard.press("Escape")
    page.wait_for_function(FOCUSED.format(toggle))
    assert not dialog or button.get_attribute("aria-expanded") == "false"


def test_a_button_keeps_the_focus_on_a_wide_screen(opened, address):  # noqa: F811
    page = opened(f"{address}/en/{CHAPTER}", viewport=DESK)
    contents, beside = page.locator(".bd-header-article .primary-toggle"), page.locator("#pst-primary-sidebar")
    assert contents.get_attribute("aria-expanded") == "true"
    contents.focus()
    for visible in (False, True):  # the second time with the focus that is left by the first
        page.keyboard.press("Enter")
        page.wait_for_function(f"document.querySelector('.primary-toggle').getAttribute('aria-expanded') === '{str(visible).lower()}'")
        beside.wait_for(state="visible" if visible else "hidden")  # it slides


@pytest.mark.parametrize("code", CODES)
def test_the_button_for_colours_says_which_there_are(code, opened, address):  # noqa: F811
    page = opened(f"{address}/{code}/{CHAPTER}", viewport=DESK)
    button, said = page.locator(".theme-switch-button"), set()
    between = "：" if code == "zh-CN" else ": "
    button.focus()
    for _ in range(3):
        page.keyboard.press("Enter")
        mode = page.get_attribute("html", "data-mode")
        word = button.locator(f"[data-mode={mode}]").get_attribute("title")
        page.wait_for_function("(end) => document.querySelector('.theme-switch-button').getAttribute('aria-label').endsWith(end)", arg=between + word)
        said.add(button.get_attribute("aria-label"))
    assert len(said) == 3


def test_what_was_opened_is_closed_when_the_page_is_left(opened, address):  # noqa: F811
    page = opened(f"{address}/en/{CHAPTER}", viewport=PHONE)
    page.locator(".bd-header-article .primary-toggle").click()
    assert page.locator("dialog[open]").count() == 1
    page.evaluate("window.dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true }))")
    assert page.locator("dialog[open]").count() == 0
    page.locator(".language-switcher summary").click()
    page.evaluate("window.dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true }))")
    assert page.locator("details.language-switcher[open]").count() == 0


def test_a_list_closes_when_the_focus_leaves_it(opened, address):  # noqa: F811
    page = opened(f"{address}/en/{CHAPTER}", viewport=DESK)
    page.locator(".language-switcher summary").focus()
    page.keyboard.press("Enter")
    for _ in CODES:
        page.keyboard.press("Tab")
        assert page.locator("details.language-switcher[open]").count() == 1
    page.keyboard.press("Tab")
    assert page.locator("details.language-switcher[open]").count() == 0


def test_the_switcher_leads_to_the_section_where_one_is_now(opened, address):  # noqa: F811
    page = opened(f"{address}/en/{CHAPTER}", viewport=DESK)
    swedish = page.locator(".language-switcher a[lang=sv]")
    for place in ("#single-head-order", "#single-head-scale", ""):
        page.evaluate("(place) => { location.hash = place; }", place)
        page.locator(".language-switcher summary").click()
        swedish.dispatch_event("click", {"ctrlKey": True})  # as in another tab: this page stays
        assert swedish.evaluate("(link) => link.hash") == place
        page.goto(f"{address}/en/{CHAPTER}{place}", wait_until="load")


def test_colours_that_were_chosen_elsewhere_hold_here_too(opened, address):  # noqa: F811
    page = opened(f"{address}/en/{CHAPTER}", color_scheme="light", viewport=DESK)
    other = page.context.new_page()
    goto(other, f"{address}/sv/{CHAPTER}")
    other.evaluate("localStorage.setItem('mode', 'dark')")
    page.wait_for_function("document.documentElement.dataset.theme === 'dark' && document.documentElement.dataset.mode === 'dark'")
    page.evaluate("localStorage.setItem('mode', 'auto'); window.dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))")
    assert page.get_attribute("html", "data-theme") == "light"


@pytest.mark.parametrize(("mode", "scheme", "theme"), [("auto", "light", "light"), ("auto", "dark", "dark"), ("dark", "light", "dark")])
def test_colours_are_right_before_the_scripts_come(mode, scheme, theme, opened, address):  # noqa: F811
    page = opened("about:blank", color_scheme=scheme)
    page.route("**/*.js*", lambda route: route.abort())
    last = {"light": "dark", "dark": "light"}[theme]  # what the theme noted in the evening
    page.add_init_script(f"localStorage.setItem('mode', '{mode}'); localStorage.setItem('theme', '{last}');")
    page.goto(f"{address}/en/{CHAPTER}", wait_until="load")
    assert page.get_attribute("html", "data-theme") == theme


@pytest.mark.parametrize("storage", [FORBIDDEN, FULL], ids=["forbidden", "full"])
def test_all_works_in_a_browser_that_stores_nothing(storage, opened, address):  # noqa: F811
    page = opened("about:blank", color_scheme="light", viewport=PHONE)
    found = problems(page)
    page.add_init_script(storage)
    goto(page, f"{address}/en/{CHAPTER}")
    assert page.locator("button.copybtn").count() > 0
    page.locator(".theme-switch-button").click()
    assert page.get_attribute("html", "data-theme") == page.get_attribute("html", "data-mode") == "dark"
    page.locator(".bd-header-article .primary-toggle").click()
    assert page.locator("#pst-primary-sidebar-modal[open]").count() == 1
    page.keyboard.press("Escape")
    right = int(page.locator(".question").first.get_attribute("data-right"))
    for number in (right, (right + 1) % 3):  # the first answer stays
        page.locator(".question").first.locator("button.option").nth(number).click()
    assert page.locator(".question").first.locator(".option[aria-pressed=true]").count() == 2
    goto(page, f"{address}/en/search.html?q=softmax")
    page.wait_for_selector("#search-results ul.search li a")
    assert not found
