"""Questions answered on the page: each has one right option, the same in every language; mouse and keyboard both do."""

import re

import pytest
from bs4 import BeautifulSoup

from book.tools import toc
from book.tools.blocks import parse
from book.tools.ext.quiz import LABEL, VERDICT, right_options
from book.tools.languages import CODES, SOURCE, language
from book.tools.paths import BOOK
from book.tools.sphinx_build import compile_catalogues, translator

from .browsing import goto, reload
from .test_browser import address, browser, pytestmark, reader  # noqa: F401

PAGES = [(code, name) for code in CODES for name in toc.chapters() if (BOOK / code / f"{name}.md").is_file()]
CHAPTER = toc.chapters()[1]


def questions(code, name):
    """{label: [verdict of each explanation]} of a page's source."""
    found, label, folded = {}, None, False
    for block in parse((BOOK / code / f"{name}.md").read_text(encoding="utf-8")):
        if block.kind == "label":
            label, folded = block.text[1:-2], False
        elif label and LABEL.search(label):
            folded = folded or block.kind == "directive dropdown"
            if folded and block.kind == "item":
                bold = re.search(r"\*\*(.+?)\*\*", block.text)
                found.setdefault(label, []).append(bold[1] if bold else "")
    return found


@pytest.fixture(scope="module")
def phrases(tmp_path_factory):
    """What stands behind a right option's letter, by language."""
    folder = tmp_path_factory.mktemp("locale")
    return {code: translator(language(code), compile_catalogues(language(code), folder))(VERDICT) for code in CODES}


@pytest.mark.parametrize(("code", "name"), PAGES)
def test_one_option_is_right_and_it_is_the_english_one(code, name, phrases):
    for label, verdicts in questions(code, name).items():
        right = right_options(verdicts, phrases[code])
        assert len(right) == 1, f"{label}: {verdicts}"
        assert right == right_options(questions(SOURCE, name)[label], VERDICT), label


def test_verdicts_that_are_not_right_are_not_taken_for_it():
    assert right_options(["A is right.", "B is wrong.", "C is half right.", ""], "is right") == [0]
    assert right_options(["А\u00a0— верно.", "Б\u00a0— неверно."], "— верно") == [0]
    assert right_options(["A 不正确", "B 正确"], "正确") == [1]
    assert right_options(["A är halvrätt.", "B är rätt.", "C är rätt."], "är rätt") == [1, 2]


@pytest.mark.parametrize(("code", "name"), PAGES)
def test_every_question_is_live_and_the_script_is_where_it_is_needed(site, code, name):
    page = BeautifulSoup((site / code / f"{name}.html").read_text(encoding="utf-8"), "html.parser")
    assert [each.p["id"] for each in page.select(".question[data-right]")] == list(questions(code, name))
    scripts = [each for each in page.select("script[src]") if "quiz.js" in each["src"]]
    assert len(scripts) == bool(questions(code, name))


def option(page, question, number):
    return page.locator(".question").nth(question).locator("button.option").nth(number)


def told(score):
    """The numbers of the score. Its text is asked for, and not what is drawn: a section that no one has come to is drawn when there is time."""
    return re.findall(r"\d+", score.text_content())


@pytest.mark.parametrize("code", CODES)
def test_answering(code, reader, address):  # noqa: F811
    reader.add_init_script("window.requestIdleCallback = () => 0;")  # a browser that never has time: what was drawn does not depend on the clock
    goto(reader, f"{address}/{code}/{CHAPTER}.html")
    boxes = reader.locator(".question")
    boxes.first.scroll_into_view_if_needed()
    total = boxes.count()
    right = [int(boxes.nth(number).get_attribute("data-right")) for number in range(total)]
    score, again = reader.locator(".quiz-progress__score"), reader.locator(".quiz-progress__again")
    assert told(score) == ["0", str(total)]
    assert not again.is_visible() and not boxes.locator("details").first.is_visible()

    # A wrong answer is explained, alone, and does not count.
    wrong = (right[0] + 1) % 3
    option(reader, 0, wrong).click()
    assert option(reader, 0, wrong).get_attribute("data-state") == "wrong"
    assert reader.locator(".option__place .option__why").count() == 1
    assert boxes.nth(0).locator("[role=status]").nth(wrong).text_content().strip()
    assert told(score)[0] == "0"

    # The right one, by keyboard.
    option(reader, 0, right[0]).focus()
    reader.keyboard.press("Enter")
    assert option(reader, 0, right[0]).get_attribute("aria-pressed") == "true"
    option(reader, 1, right[1]).focus()
    reader.keyboard.press("Space")
    assert told(score) == ["2", str(total)]

    # It is remembered, in another language too, until the reader begins again.
    other = CODES[(CODES.index(code) + 1) % len(CODES)]
    goto(reader, f"{address}/{other}/{CHAPTER}.html")
    assert sorted(told(score)) == sorted(["2", str(total)])
    again.click()
    assert reader.locator(".option__place .option__why").count() == 0 and not again.is_visible()
    assert reader.evaluate("document.activeElement.classList.contains('option')")
    reload(reader)
    assert reader.locator(".option[aria-pressed=true]").count() == 0
    assert not reader.problems


def test_other_pages_have_their_own_progress(reader, address):  # noqa: F811
    goto(reader, f"{address}/en/{CHAPTER}.html")
    option(reader, 0, 0).click()
    goto(reader, f"{address}/en/{toc.chapters()[0]}.html")
    assert reader.locator(".question").count() and reader.locator(".option[aria-pressed=true]").count() == 0


def test_without_javascript_the_answers_are_folded(browser, address):  # noqa: F811
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{address}/en/{CHAPTER}.html")
    assert page.locator(".question button").count() == 0
    folded = page.locator(".question details").first
    folded.locator("summary").click()
    assert folded.locator("li").first.is_visible()
    context.close()


def test_paper_has_all_explanations(reader, address):  # noqa: F811
    goto(reader, f"{address}/en/{CHAPTER}.html")
    reader.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    assert reader.locator(".option__place .option__why").count() == reader.locator(".option").count()
    reader.evaluate("window.dispatchEvent(new Event('afterprint'))")
    assert reader.locator(".option__place .option__why").count() == 0


def test_answers_of_two_tabs_are_kept(reader, address):  # noqa: F811
    """And of two languages, of which one is left and comes back as it was."""
    goto(reader, f"{address}/en/{CHAPTER}.html")
    other = reader.context.new_page()
    goto(other, f"{address}/sv/{CHAPTER}.html")
    option(reader, 0, 0).click()
    other.wait_for_function("document.querySelectorAll('.option[aria-pressed=true]').length === 1")
    other.evaluate("window.addEventListener('storage', (event) => event.stopImmediatePropagation(), true)")
    option(other, 2, 1).click()
    reader.wait_for_function("document.querySelectorAll('.option[aria-pressed=true]').length === 2")
    option(reader, 1, 1).click()
    assert len(reader.evaluate(f"Object.keys(JSON.parse(localStorage.getItem('quiz {CHAPTER}')))")) == 3
    other.evaluate("window.dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))")
    assert other.locator(".option[aria-pressed=true]").count() == 3


@pytest.mark.parametrize("stored", ["5", "[]", "null", "{", '"a"'])
def test_what_is_stored_and_is_no_answers_is_none(stored, reader, address):  # noqa: F811
    reader.goto(f"{address}/index.html#choose")
    reader.evaluate("([key, stored]) => localStorage.setItem(key, stored)", [f"quiz {CHAPTER}", stored])
    goto(reader, f"{address}/en/{CHAPTER}.html")
    option(reader, 0, 0).click()
    assert reader.locator(".option[aria-pressed=true]").count() == 1
    assert not reader.problems


def test_without_the_script_of_all_pages_the_answers_are_folded(browser, address):  # noqa: F811
    context = browser.new_context()
    page = context.new_page()
    page.route("**/site.js*", lambda route: route.abort())
    page.goto(f"{address}/en/{CHAPTER}.html", wait_until="load")
    page.locator(".question details summary").first.click()
    assert page.locator(".question details li").first.is_visible() and page.locator(".question button").count() == 0
    context.close()
