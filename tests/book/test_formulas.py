"""Formulas are set as MathML when the book is built: all that the book has, and what books like it have; what is unknown is named."""

import re
import xml.etree.ElementTree as ET

import pytest

from book.tools import math_font
from book.tools.formulas import FormulaError, mathml
from book.tools.languages import CODES
from book.tools.paths import BOOK, STATIC

from .browsing import goto
from .test_browser import address, browser, pytestmark, reader  # noqa: F401

FORMULA = re.compile(r"\$\$(.+?)\$\$|(?<![\\$\w])\$(?!\s)([^$]+?)(?<!\s)\$(?!\d)", re.DOTALL)


def shape(tex: str, display: bool = False) -> str:
    """The formula's elements, without attributes: <mi>x</mi> is mi:x."""
    def write(element) -> str:
        inner = "".join(write(each) for each in element)
        return f"{element.tag}({inner})" if inner else f"{element.tag}:{element.text or ''} "

    return write(ET.fromstring(mathml(tex, display))[0]).strip()


@pytest.mark.parametrize("code", CODES)
def test_every_formula_of_the_book_is_known(code):
    found = 0
    for path in (BOOK / code).glob("*.md"):
        text = re.sub(r"^(`{3,}|~{3,}).*?^\1\s*$", "", path.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
        text = re.sub(r"(`+)(?!`).+?(?<!`)\1(?!`)", "", text, flags=re.DOTALL)
        for display, inline in FORMULA.findall(text):
            ET.fromstring(mathml(display or inline, bool(display)))
            found += 1
    assert found > 300


@pytest.mark.parametrize(("tex", "made"), [
    ("x", "mi:x"),
    ("x_i^2", "msubsup(mi:x mi:i mn:2 )"),
    ("x'", "msup(mi:x mo:′ )"),
    ("j'^2", "msup(mi:j mrow(mo:′ mn:2 ))"),
    (r"\frac{1}{\sqrt{d}}", "mfrac(mn:1 msqrt(mi:d ))"),
    (r"\sqrt[3]{x}", "mroot(mi:x mn:3 )"),
    (r"\sum_{i=1}^n", "munderover(mo:∑ mrow(mi:i mo:= mn:1 )mi:n )"),
    (r"8{,}388{,}608", "mn:8,388,608"),
    (r"8\,388\,608", "mn:8\u2009388\u2009608"),
    ("3.5", "mn:3.5"),
    (r"(a + b)^2", "msup(mrow(mo:( mi:a mo:+ mi:b mo:) )mn:2 )"),
    (r"\mathbb{R}^d", "msup(mi:ℝ mi:d )"),
    (r"\mathbf{w}", "mi:𝐰"),
    (r"\mathrm{max\_len}", "mi:max_len"),
    (r"\boldsymbol{\theta}", "mi:𝜽"),
    (r"\text{för varje }x", "mrow(mtext(span:för varje\u00a0 )mi:x )"),
    (r"\begin{cases} a & b \\ c & d \end{cases}", "mrow(mo:{ mtable(mtr(mtd(mi:a )mtd(mi:b ))mtr(mtd(mi:c )mtd(mi:d ))))"),
    (r"a &= b \\ c &= d", "mtable(mtr(mtd(mi:a )mtd(mrow(mo:= mi:b )))mtr(mtd(mi:c )mtd(mrow(mo:= mi:d ))))"),
    (r"a \not= b", "mrow(mi:a mo:≠ mi:b )"),
    (r"\overline{x+y}", "mrow(mrow(mi:x mo:+ mi:y ))"),
])
def test_what_tex_becomes(tex, made):
    assert shape(tex) == made


def test_signs_and_names_of_functions():
    assert '<mo form="prefix">−</mo>' in mathml("(-1)") and '<mo>−</mo>' in mathml("a-1")
    assert mathml(r"\log x").count("mspace") == 1 and mathml(r"\log(x)").count("mspace") == 0
    assert "displaystyle" in mathml(r"\tfrac12") and mathml(r"\frac12") == "<math><mfrac><mn>1</mn><mn>2</mn></mfrac></math>"


def test_nothing_gets_out_of_a_formula():
    assert "<script" not in mathml(r"\text{<script>alert(1)</script>}") and "<b" not in mathml("a <b>")


@pytest.mark.parametrize(("tex", "said"), [
    (r"\foo x", r"\foo is not known"), (r"\frac{1}", "missing at its end"), ("{a", "not closed"), ("x_a_b", "two lower indices"),
    (r"\begin{tikz}\end{tikz}", "tikz"), (r"\begin{cases}a\end{split}", "ends as split"), (r"\left x", "no bracket"),
    ("a\\end{b}", "without"),
])
def test_what_is_unknown_is_named(tex, said):
    with pytest.raises(FormulaError, match=re.escape(said)):
        mathml(tex)


def test_the_font_is_made_with_what_formulas_need():
    assert {ord(sign) for sign in "√∑⊤ℓ𝑥ℎ𝜃Θ⏟′−≤…"} <= math_font.wanted()


def test_the_font_is_small():
    assert (STATIC / "math.woff2").stat().st_size < 64_000


def test_formulas_are_seen_without_a_script(browser, address):  # noqa: F811
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{address}/en/01-single-head.html")
    root, below = page.locator("article msqrt").first.bounding_box(), page.locator("article mfrac").first.bounding_box()
    assert root["width"] > 10 and below["height"] > 25
    context.close()


@pytest.mark.parametrize("code", CODES)
def test_wide_formulas_scroll_in_their_place(code, reader, address):  # noqa: F811
    reader.set_viewport_size({"width": 390, "height": 800})
    goto(reader, f"{address}/{code}/04-position.html")
    wide = reader.locator(".formula[tabindex='0']")
    wide.first.wait_for()
    assert wide.first.evaluate("(box) => { box.scrollLeft = 50; return box.scrollLeft; }") == 50
    assert reader.evaluate("document.documentElement.scrollWidth") <= 390


def test_wide_code_scrolls_for_a_keyboard_and_narrow_code_is_no_stop(reader, address):  # noqa: F811
    reader.set_viewport_size({"width": 390, "height": 800})
    goto(reader, f"{address}/en/01-single-head.html")
    stops = "[...document.querySelectorAll('article pre')].filter((each) => each.checkVisibility())"
    as_they_are_wide = f"() => {stops}.every((each) => each.tabIndex === (each.scrollWidth > each.clientWidth + 1 ? 0 : -1))"
    reader.wait_for_function(as_they_are_wide)  # they are looked through when all else is there
    assert set(reader.evaluate(f"{stops}.map((each) => each.tabIndex)")) == {0, -1}
    folded = reader.locator("article details.hide").first
    assert folded.locator("pre").first.get_attribute("tabindex") != "0"
    folded.locator("summary").click()
    reader.wait_for_function(as_they_are_wide)  # what unfolds is looked through, too
