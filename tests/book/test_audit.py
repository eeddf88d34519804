"""The audit finds what is planted on a page, and nothing on the course's own first chapter."""

import pytest

from book.tools import audit, toc
from book.tools.languages import CODES

from .test_browser import browser, pytestmark  # noqa: F401

BAD = """<!DOCTYPE html><html lang="en"><head><title>Bad</title></head><body><main><article><h1>Bad</h1>
<img src="x.svg"><p style="color: #ccc; background: #fff">pale</p><script>console.error("oh");
undefined_function();</script></article></main></body></html>"""
LATE = """<!DOCTYPE html><html lang="en"><head><title>Late</title></head><body><main><article><h1>Late</h1><section><section>
<pre style="width: 9em; overflow: auto">a line that is too long by far for where it is, and then some</pre></section></section></article></main>
<script>setTimeout(() => { const pre = document.querySelector("pre"); pre.tabIndex = 0; pre.classList.add("scrolls");
pre.parentElement.className = "laid-out"; }, 2000);</script></body></html>"""


def test_what_is_planted_is_found(browser, tmp_path):  # noqa: F811
    (tmp_path / "en").mkdir()
    (tmp_path / "en" / "bad.html").write_text(BAD, encoding="utf-8")
    (tmp_path / "en" / "x.svg").write_text('<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10"/>', encoding="utf-8")
    with audit.served(tmp_path) as address:
        found = audit.look(browser, address, "en", "bad", tmp_path, audit.axe_script())
    assert {"image-alt", "color-contrast"} <= set(found.axe)
    assert any("oh" in each for each in found.errors) and any("undefined_function" in each for each in found.errors)
    assert found.unsized == 1 and 0 < found.weight < 2
    shown = audit.table([found])
    assert "en/bad" in shown and "axe: image-alt" in shown and "Nothing to mend" not in shown


def test_text_is_weighed_packed_and_fonts_as_they_are(tmp_path):
    (tmp_path / "a.js").write_text("x = 1;\n" * 10_000)
    (tmp_path / "b.woff").write_bytes(b"x" * 2048)
    assert audit.weight(tmp_path, {"a.js"}) < 2
    assert audit.weight(tmp_path, {"b.woff", "gone.css"}) == 2


def test_low_scores_are_problems():
    finding = audit.Finding("en", "page", scores={"phone": {"performance": 96, "accessibility": 99, "best-practices": 100}})
    assert finding.problems == ["Lighthouse, phone: accessibility 99, less than 100"]
    assert "96/99/100" in audit.table([finding])


def test_of_several_runs_the_median_counts(monkeypatch):
    runs = iter(({"performance": score, "accessibility": 100, "best-practices": 100} for score in (80, 97, 99)))
    monkeypatch.setattr(audit, "lighthouse", lambda *arguments: next(runs))
    assert audit.typical("lighthouse", "chromium", "address", "phone", 3)["performance"] == 97


def test_what_scripts_do_when_there_is_time_is_waited_for(browser, tmp_path):  # noqa: F811
    (tmp_path / "en").mkdir()
    (tmp_path / "en" / "late.html").write_text(LATE, encoding="utf-8")
    with audit.served(tmp_path) as address:
        found = audit.look(browser, address, "en", "late", tmp_path, audit.axe_script())
    assert "scrollable-region-focusable" not in found.axe and not [each for each in found.errors if "scroll" in each]


def test_what_scripts_never_do_is_a_finding(browser):  # noqa: F811
    page, found = browser.new_page(), audit.Finding("en", "late")
    page.set_default_timeout(300)
    page.set_content(LATE.partition("<script>")[0])
    audit.settle(page, found)
    page.close()
    assert found.problems == ["what is wider than its place does not come to scroll there"]


@pytest.mark.parametrize("code", CODES)
def test_the_first_chapter_has_nothing_to_mend(site, browser, code):  # noqa: F811
    with audit.served(site) as address:
        found = audit.look(browser, address, code, toc.chapters()[1], site, audit.axe_script())
    assert found.problems == []
