"""The site in a real browser, one test a language, with every other host refused."""

import os
import re
import shutil
import threading
from pathlib import Path

import pytest
import snowballstemmer

from book.tools import serve, toc
from book.tools.languages import CODES, LANGUAGES

from .browsing import goto
from .searching import OURS

CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser") or "/usr/bin/chromium"
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-background-networking", "--no-first-run"]
# Typed as no page has it: inflected, or a Chinese phrase that nobody has cut into words.
SEARCHES = {"en": "querying", "sv": "huvudets", "zh-CN": "注意力权重", "ru": "весами"}
WIDTHS = (390, 1280)

pytestmark = pytest.mark.skipif(
    not Path(CHROMIUM).exists() and "CI" not in os.environ,
    reason=f"Chromium is not at {CHROMIUM}: install it (Debian: apt-get install chromium), or name it in CHROMIUM",
)


@pytest.fixture(scope="module")
def address(site):
    """Where the site is served, for as long as these tests run."""
    running = serve.server()
    thread = threading.Thread(target=running.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{running.server_port}"
    running.shutdown()
    running.server_close()
    thread.join()


@pytest.fixture(scope="module")
def browser():
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield running
        running.close()


@pytest.fixture
def reader(browser, address):
    """A page of a fresh browser that may reach the site and nothing else. What goes wrong on it is collected in `reader.problems`."""
    context = browser.new_context(viewport={"width": 1280, "height": 900}, locale="en-US")
    page = context.new_page()
    page.problems = []

    def route(request):
        if request.request.url.startswith((address, "data:")):
            request.continue_()
        else:
            page.problems.append(f"asked another host for {request.request.url}")
            request.abort()

    context.route("**/*", route)
    page.on("console", lambda message: page.problems.append(f"console: {message.text}") if message.type == "error" else None)
    page.on("pageerror", lambda error: page.problems.append(f"script: {error}"))
    page.on("response", lambda answer: page.problems.append(f"{answer.status} for {answer.url}") if answer.status >= 400 else None)
    yield page
    context.close()


@pytest.mark.parametrize("code", CODES)
def test_reading(code, reader, address):
    first, chapter = toc.chapters()[:2]
    other = CODES[(CODES.index(code) + 1) % len(CODES)]

    # A chapter opens, at every width without a sideways scroll, and its formulas are set with the site's own font.
    for width in WIDTHS:
        reader.set_viewport_size({"width": width, "height": 900})
        for name in (first, chapter):
            goto(reader, f"{address}/{code}/{name}.html")
            assert reader.evaluate("document.documentElement.scrollWidth") <= width, f"{name} is wider than {width}"
    assert reader.locator("article math").count() > 10
    reader.evaluate("() => document.fonts.ready.then(() => null)")  # they come when what needs them is laid out
    assert reader.evaluate("[...document.fonts].some((font) => font.family.includes('Book Math') && font.status === 'loaded')")

    # The switcher leads to the same section in another language, by a click and in that language's words.
    label = reader.evaluate("document.querySelectorAll('article section section[id]')[1].id")
    reader.goto(f"{address}/{code}/{chapter}.html#{label}")
    reader.click("details.language-switcher summary")
    reader.click(f"details.language-switcher a[lang='{other}']")
    reader.wait_for_url(f"{address}/{other}/{chapter}.html#{label}")
    assert reader.get_attribute("html", "lang") == other
    assert reader.locator(f"[id='{label}']").count() == 1

    # The choice is remembered at the site's first page.
    reader.goto(f"{address}/index.html")
    reader.wait_for_url(f"{address}/{other}/{first}.html")

    # Search finds a word typed in another form than the page's.
    reader.goto(f"{address}/{code}/search.html")
    reader.fill("main input[name=q]", SEARCHES[code])
    reader.press("main input[name=q]", "Enter")
    reader.wait_for_selector(f"#search-results ul.search li a[href*='{chapter}']")  # what is found is shown one by one

    assert not reader.problems


WORDS = {
    "en": "queries querying weighted heads attention softmax normalised generalization",
    "sv": "huvudet huvuden huvudets vikternas viktad frågorna nycklar resultatet värdena uppmärksamheten nyckeln rutan tokens",
    "zh-CN": "queries heads attention weighted",
    "ru": "весами головами запросов внимания ключей обучение ещё матрицы умножением голов масок ячеек поток",
}


@pytest.mark.parametrize("code", CODES)
def test_queries_are_stemmed_as_pages_are(code, reader, address):
    """The index is made by Python, the query is cut by a script; where the two disagree, a word on the page is not found."""
    reader.goto(f"{address}/{code}/search.html")
    words = WORDS[code].split()
    in_browser = reader.evaluate("words => { const stemmer = new Stemmer(); return words.map((word) => stemmer.stemWord(word)); }", words)
    stem = OURS[code]({}).stem if code in OURS else snowballstemmer.stemmer("porter").stemWord
    assert in_browser == [stem(each) for each in words]


@pytest.mark.parametrize(("preferred", "code"), [("sv-SE", "sv"), ("zh-TW", "zh-CN"), ("ru", "ru"), ("en-GB", "en")])
def test_first_page_goes_to_the_browsers_language(preferred, code, browser, address):
    context = browser.new_context(locale=preferred)
    page = context.new_page()
    page.goto(f"{address}/index.html")
    page.wait_for_url(re.compile(f"/{code}/"))
    context.close()


def test_without_javascript(browser, address):
    """Languages, answers and formulas' source are there all the same."""
    context = browser.new_context(java_script_enabled=False, locale="ru")
    page = context.new_page()
    page.goto(f"{address}/index.html")
    assert page.locator("a[data-language]").count() == len(LANGUAGES)
    page.goto(f"{address}/en/{toc.chapters()[1]}.html")
    page.click("details.language-switcher summary")
    page.click("details.language-switcher a[lang=sv]")
    assert page.get_attribute("html", "lang") == "sv"
    context.close()


@pytest.mark.parametrize("code", CODES)
def test_dark_figures_lie_on_white(code, browser, address):
    """Figures are drawn for a white page; on a dark one they keep it as their background, unfiltered."""
    context = browser.new_context(color_scheme="dark")
    page = context.new_page()
    page.goto(f"{address}/{code}/{toc.chapters()[1]}.html")
    assert page.get_attribute("html", "data-theme") == "dark"
    style = page.evaluate("""() => {
        const style = getComputedStyle(document.querySelector("article .cell_output img"));
        return [style.filter, style.backgroundColor];
    }""")
    assert style == ["none", "rgb(255, 255, 255)"]
    context.close()
