"""What pages load: one style sheet and one script for all, none of them in the way of the text, and no rules for what is not there."""

import re

import pytest
import tinycss2
from bs4 import BeautifulSoup

from book.tools import css, toc
from book.tools.ext import light
from book.tools.ext.switcher import has_page
from book.tools.languages import CODES

PAGES = [(code, name) for code in CODES for name in (*toc.chapters(), "search") if has_page(code, name)]


@pytest.mark.parametrize(("code", "name"), PAGES)
def test_a_page_loads_one_sheet_and_waits_for_no_script(site, code, name):
    soup = BeautifulSoup((site / code / f"{name}.html").read_text(encoding="utf-8"), "html.parser")
    assert [each["href"].partition("?")[0] for each in soup.select("head > link[rel=stylesheet]")] == ["_static/site.css"]
    assert [each["href"].partition("?")[0] for each in soup.select("noscript > link[rel=stylesheet]")] == ["_static/dark.css"]
    scripts = soup.select("script[src]")
    assert [each["src"] for each in scripts if not each.has_attr("defer")] == []
    assert len([each for each in scripts if "site.js" in each["src"]]) == 1
    assert not [each["src"] for each in scripts if re.search("bootstrap|fontawesome|mathjax", each["src"])]


@pytest.mark.parametrize(("code", "name"), PAGES)
def test_pictures_come_when_they_are_needed(site, code, name):
    soup = BeautifulSoup((site / code / f"{name}.html").read_text(encoding="utf-8"), "html.parser")
    for image in soup.select("article img"):
        assert image["loading"] == "lazy" and image["decoding"] == "async" and image["width"] and image["height"]


def test_rules_for_what_is_not_there_are_left_out(tmp_path):
    sheet = """.used, .gone { color: red } #there > .used:not(.gone)::before { content: "a{}b" } .gone { x: y }
    @media print { .gone { a: b } .used { c: d } } @media screen { .gone { a: b } } p { e: f }
    @font-face { font-family: A; src: url("gone.woff") } @keyframes k { from { top: 0 } }"""
    kept = css.purge(sheet, {"used", "there"}, tmp_path)
    assert kept.split("\n") == [".used{color: red}", '#there > .used:not(.gone)::before{content: "a{}b"}', "@media print{.used{c: d}}",
                                "p{e: f}",
                                "@keyframes k{from { top: 0 }}"]


def test_a_theme_can_be_put_on_without_a_script():
    sheet = """p { a: b } html[data-theme=dark] p, html[data-theme="light"] p { c: d } html[data-theme='light'] p { e: f }
    @media print { html[data-theme="dark"] i { g: h } p { i: j } } @media screen { p { k: l } } html:not([data-theme]) p { m: n }"""
    rules = tinycss2.parse_stylesheet(sheet, skip_comments=True, skip_whitespace=True)
    assert css.dressed(rules, "dark") == ["html[data-theme] p{c: d}", "@media print{html[data-theme] i{g: h}}"]


def test_sheets_that_a_sheet_imports_are_taken_in(tmp_path):
    (tmp_path / "styles").mkdir()
    (tmp_path / "styles" / "a.css").write_text('@import "../b.css"; i { background: url(../x.png) }')
    (tmp_path / "b.css").write_text('b { background: url("y.png") } c { background: url(data:image/png;base64,AA) }')
    text = css.read(tmp_path / "styles" / "a.css", tmp_path)
    assert "@import" not in text and 'url("x.png")' in text and 'url("y.png")' in text and "url(data:" in text


def test_code_that_looks_like_code_needs_no_span():
    sheet = "\n".join(f'html[data-theme="{theme}"] .highlight {{ background: #000; color: {ink} }}\n'
                      f'html[data-theme="{theme}"] .highlight .n {{ color: {ink} }} /* Name */\n'
                      f'html[data-theme="{theme}"] .highlight .k {{ color: #123456 }}\n'
                      f'html[data-theme="{theme}"] .highlight .b {{ color: {ink}; font-weight: bold }}'
                      for theme, ink in (("light", "#080808"), ("dark", "#F8F8F2")))
    assert light.plain_classes(sheet) == {"n"}
