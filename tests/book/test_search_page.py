"""The page of the search: what it finds of awkward words, what it reads aloud, and what it leaves for the next page."""

from .browsing import goto
from .test_browser import address, browser, pytestmark  # noqa: F401
from .test_narrow import opened  # noqa: F401

DONE = "() => document.querySelector('.search-summary')?.textContent.trim() && !document.querySelector('#search-results h2 span')?.textContent"


def found(page, where: str, words: str) -> set[str]:
    """The pages that are found for the words."""
    goto(page, f"{where}/search.html?q={words}")
    page.wait_for_function("() => document.querySelector('.search-summary')?.textContent.trim()")
    return {each.partition("#")[0].partition("?")[0] for each in page.locator("#search-results li a").evaluate_all("all => all.map((a) => a.getAttribute('href'))")}


def test_chinese_words_beside_latin_ones_are_all_looked_for(opened, address):  # noqa: F811
    page = opened("about:blank")
    chinese, both = found(page, f"{address}/zh-CN", "数值稳定"), found(page, f"{address}/zh-CN", "softmax 数值稳定")
    assert both and both <= chinese


def test_words_that_every_object_has_are_words_like_others(opened, address):  # noqa: F811
    page = opened("about:blank")
    problems = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    for word in ("constructor", "valueOf", "hasOwnProperty"):
        found(page, f"{address}/en", word)
    assert not problems


def test_what_was_found_is_read_aloud(opened, address):  # noqa: F811
    page = opened("about:blank")
    assert found(page, f"{address}/en", "softmax")
    assert page.locator(".search-summary").get_attribute("role") == "status"


def test_words_are_marked_on_the_page_of_a_hit_alone(opened, address):  # noqa: F811
    page = opened("about:blank")
    assert found(page, f"{address}/en", "softmax")
    goto(page, f"{address}/en/07-mqa.html")
    page.wait_for_timeout(100)
    assert page.locator(".highlighted").count() == 0
    found(page, f"{address}/en", "softmax")
    page.locator("#search-results li a").first.click()
    page.wait_for_selector(".highlighted", state="attached")


def test_a_stroke_asks_for_the_search(opened, address):  # noqa: F811
    page = opened(f"{address}/en/01-single-head.html", viewport={"width": 1300, "height": 900})
    page.keyboard.press("/")
    page.locator("#pst-search-dialog[open]").wait_for()
    assert page.evaluate("document.activeElement.name") == "q"
    goto(page, f"{address}/en/search.html")
    assert page.evaluate("document.activeElement.matches('.bd-search-container input[name=q]')")
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.matches('.bd-search-container input[name=q]')")
