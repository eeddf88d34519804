"""Terms explained in place: every language has a sentence for each, finds its words in their forms, shows it on hover, focus and tap."""

import pytest
from bs4 import BeautifulSoup

from book.tools import glossary, terms, toc, typography
from book.tools.ext import explained
from book.tools.languages import CODES, SOURCE
from book.tools.paths import BOOK

from .browsing import goto
from .test_browser import address, browser, pytestmark, reader  # noqa: F401

PAGES = [(code, name) for code in CODES for name in toc.chapters() if (BOOK / code / f"{name}.md").is_file()]
CHAPTER = toc.chapters()[1]


@pytest.mark.parametrize("code", CODES)
def test_every_term_has_a_sentence(code):
    said = glossary.definitions(code)
    assert list(said) == [row[SOURCE] for row in glossary.terms()]
    ends = "。" if code == "zh-CN" else "."
    assert [name for name, each in said.items() if not each.text.endswith(ends)] == []
    assert [name for name, each in said.items() if len(each.text) > 160] == []


@pytest.mark.parametrize("code", [each for each in CODES if each != SOURCE])
def test_sentences_are_in_the_language(code):
    said, english = glossary.definitions(code), glossary.definitions(SOURCE)
    assert [name for name in said if said[name].text == english[name].text] == []
    faults = [fault for each in said.values() for fault in typography.of_paragraph(code, each.text)]
    assert faults + [fault for each in said.values() for fault in terms.of_text(code, "definitions", 0, each.text)] == []


FOUND = {
    "en": ("Two queries and a causal mask; overhead, keyboard.", ["query", "causal mask"]),
    "sv": ("Huvudets nycklar och den kausala masken är huvudsakligen stora.", ["head", "key", "causal mask"]),
    "zh-CN": ("每个头的查询和键，用因果掩码；键盘上的数值不算。", ["head", "query", "key", "causal mask"]),
    "ru": ("Голову с запросами и каузальной маской закрывают на ключ; ключевой вопрос.", ["head", "query", "causal mask", "key"]),
}


@pytest.mark.parametrize("code", CODES)
def test_forms_are_found_and_other_words_are_not(code):
    text, names = FOUND[code]
    assert [name for *_, name in explained.Finder(code).find(text)] == names


def test_a_language_without_sentences_says_them_in_english(monkeypatch, tmp_path):
    (tmp_path / "en.csv").write_text("term,definition,pattern\nquery,It asks.,\nblock,A piece.,-\n", encoding="utf-8")
    monkeypatch.setattr(glossary, "DEFINITIONS", tmp_path)
    assert glossary.sentences("de") == {"query": "It asks.", "block": "A piece."}
    assert [name for *_, name in explained.Finder("sv").find("En query i ett block")] == ["query"]


def term_of(marked) -> str:
    """The address in the glossary of a term that is marked as a link or, later in the chapter, as no more than a word."""
    return marked.get("data-term") or marked["href"].partition("#")[2]


@pytest.mark.parametrize(("code", "name"), PAGES)
def test_pages_explain_each_term_once_a_section(site, code, name):
    page = BeautifulSoup((site / code / f"{name}.html").read_text(encoding="utf-8"), "html.parser")
    links = page.select("a.explained")
    assert bool(links) == bool(explained.CHAPTER.match(name))
    there = {each["id"] for each in BeautifulSoup((site / code / "glossary.html").read_text(encoding="utf-8"), "html.parser").select("[id]")}
    assert {each["href"].partition("#")[2] for each in links} <= there
    for each in links:
        assert not each.find_parent(["h1", "h2", "h3", "code", "pre", "a", "button", "summary", "th"]), each
    for section in page.select("article > section > section"):
        there = [term_of(each) for each in section.select(".explained")]
        assert len(there) == len(set(there)), section.get("id")
    always_seen = [term_of(each) for each in links if not each.find_parent("details")]
    assert len(always_seen) == len(set(always_seen)), "a keyboard stops once at each term"
    assert {term_of(each) for each in page.select("span.explained")} <= set(always_seen)
    assert len(page.select("script[src*='explained.js']")) == bool(links)


@pytest.mark.parametrize("code", CODES)
def test_hover_focus_and_escape(code, reader, address):  # noqa: F811
    said = {glossary.anchor(name): text for name, text in glossary.sentences(code).items()}
    goto(reader, f"{address}/{code}/{CHAPTER}.html")
    term, box = reader.locator("a.explained").nth(3), reader.locator("#explanation")
    sentence = said[term.get_attribute("href").partition("#")[2]]
    assert not box.is_visible()
    term.hover()
    assert box.text_content() == sentence and term.get_attribute("aria-describedby") == "explanation"
    box.hover()  # the pointer may go there
    reader.wait_for_timeout(400)
    assert box.is_visible()
    reader.mouse.move(2, 2)
    box.wait_for(state="hidden")
    term.focus()
    assert box.is_visible()
    reader.keyboard.press("Escape")
    assert not box.is_visible() and term.get_attribute("aria-describedby") is None
    assert not reader.problems


@pytest.mark.parametrize("code", CODES)
def test_later_mentions_are_explained_to_the_pointer_alone(code, reader, address):  # noqa: F811
    said = {glossary.anchor(name): text for name, text in glossary.sentences(code).items()}
    goto(reader, f"{address}/{code}/{CHAPTER}.html")
    later, box = reader.locator("span.explained").first, reader.locator("#explanation")
    later.hover()
    assert box.text_content() == said[later.get_attribute("data-term")]
    assert later.evaluate("(word) => word.tabIndex") == -1


def test_an_explanation_stays_while_a_phone_hides_its_bar(reader, address):  # noqa: F811
    goto(reader, f"{address}/en/{CHAPTER}.html")
    term, box = reader.locator("a.explained").nth(3), reader.locator("#explanation")
    term.focus()
    for size, seen in (({"width": 1280, "height": 844}, True), ({"width": 800, "height": 844}, False)):
        reader.set_viewport_size(size)
        reader.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        assert box.is_visible() == seen


def test_a_first_tap_explains_and_a_second_leads_to_the_glossary(browser, address):  # noqa: F811
    context = browser.new_context(viewport={"width": 390, "height": 800}, has_touch=True, is_mobile=True)
    page = context.new_page()
    goto(page, f"{address}/en/{CHAPTER}.html")
    term, box = page.locator("a.explained").nth(3), page.locator("#explanation")
    term.tap()
    assert box.is_visible() and page.url.endswith(f"{CHAPTER}.html")
    place = box.bounding_box()
    assert place["x"] >= 0 and place["x"] + place["width"] <= 390
    page.locator("h1").first.tap()
    assert not box.is_visible()
    term.tap()
    term.tap()
    page.wait_for_url("**/glossary.html#term-*")
    context.close()
