"""The Markdown summary, read back by a Markdown parser with GitHub's tables."""

import html
import re

import pytest
from markdown_it import MarkdownIt

from autograder.cli import remark
from autograder.reports import summary, terminal
from autograder.reports.figures import sentences
from tests.reports.conftest import HOSTILE, flagged_class, flags, put, read, record


def rendered(text):
    return MarkdownIt("commonmark", {"html": True}).enable("table").render(text)


def cells(page):
    rows = re.findall(r"<tr>(.*?)</tr>", re.sub(r"</?code>", "", page), re.S)
    return [re.findall(r"<td.*?>(.*?)</td>", row, re.S) for row in rows]


def test_a_small_class(small, assignment):
    text = summary.render(read(small), assignment)
    assert text.startswith("## single-head\n\n4 submissions, mean **6.88** and median **8.75** of 10; 1 with full marks.\n")
    found = [row for row in cells(rendered(text)) if row]
    assert found[:4] == [["anna", "10", "10", "", ""], ["Björn", "8.5", "10", "", "⚑ no-scale"],
                         ["zoe", "0", "10", "", "unreadable: It is no valid JSON."], ["李雷", "9", "10", "0.5", "no-scale"]]
    assert found[4][:2] == ["2 (50 %)", "no-scale"] and html.unescape(found[4][2]) == assignment.wrong["no-scale"].explanation
    assert found[5:] == [["Björn", "library-attention", "F.scaled_dot_product_attention in cell 4"]]


def test_hostile_texts_are_text(hostile, assignment):
    put(hostile, b"{", "a|b<script>")
    text = summary.render(read(hostile), assignment)
    page = rendered(text)
    assert set(re.findall(r"<[/!]?([a-z0-9-]+)", page)) <= {"h2", "h3", "p", "strong", "table", "thead", "tbody", "tr", "th", "td", "code"}
    assert re.search(r"https?://|www\.|@everyone|:tada:", text) is None
    shown = [html.unescape(row[0]) for row in cells(page) if len(row) == 5]
    names = [result.name for result in read(hostile).results]
    assert shown == [name if len(name) <= 60 else name[:59] + "…" for name in names] and len(shown) == len(HOSTILE)
    assert "a|b<script>/single-head.json" in html.unescape(page) and "not valid JSON" in page


def test_it_stays_below_what_github_takes(tmp_path, assignment, monkeypatch):
    for n in range(60):
        put(tmp_path, record(f"s{n:03}" + "<>" * 40))
    whole = summary.render(read(tmp_path), assignment)
    monkeypatch.setattr(summary, "LIMIT", 9000)
    short = summary.render(read(tmp_path), assignment)
    left = int(re.search(r"… and (\d+) more", short.replace("students ", "").replace(" students", ""))[1])
    assert len(short.encode()) <= 9000 < len(whole.encode()) < 1 << 20 and len([row for row in cells(rendered(short)) if row]) == 60 - left


def sections(text):
    """{heading: the rows below it}."""
    pages = re.split(r"^##+ (.*)$", text, flags=re.M)
    return {heading: [row for row in cells(rendered(body)) if row] for heading, body in zip(pages[1::2], pages[2::2])}


def test_a_flood_of_flags_takes_nobody_elses_nor_any_other_section(tmp_path, assignment):
    flagged_class(tmp_path, 3)
    text = summary.render(read(tmp_path), assignment)
    found = sections(text)
    assert len(text.encode()) <= summary.LIMIT and len(found["single-head"]) == 600 and "… and" not in "".join(map(str, found["single-head"]))
    assert [row[1] for row in found["The commonest misconceptions"]] == ["no-scale"]
    assert [[row[0] for row in found["Flags"]].count(f"s{n:03}") for n in range(4)] == [11, 11, 11, 0]
    assert [row[1:] for row in found["Flags"] if row[0] == "s000"][-1] == ["", "… and 440 more"]
    assert [row for row in found["Flags"] if row[0] == "s598"] == [["s598", "library-attention", f"the {which} was called"] for which in ("one", "other")]


def test_each_section_says_how_much_it_leaves_out(tmp_path, assignment, monkeypatch):
    flagged_class(tmp_path, 60, 12, 62)
    for n in range(60):
        put(tmp_path, b"{", f"broken {n:02}")
    whole = sections(summary.render(read(tmp_path), assignment))["Flags"]
    assert [[row[0] for row in whole].count(f"s{n:03}") for n in (0, 59, 60)] == [4, 4, 2]  # three of everybody's, and how many more
    monkeypatch.setattr(summary, "LIMIT", 30_000)
    text = summary.render(read(tmp_path), assignment)
    found = sections(text)
    assert len(text.encode()) <= 30_000 and list(found) == ["single-head", "The commonest misconceptions", "Flags", "Files passed over"]
    assert found["The commonest misconceptions"][0][1] == "no-scale" and len(found["single-head"]) == 62
    shown = {row[0] for row in found["Flags"]}
    assert len(found["Flags"]) == 2 * len(shown) and f"\n… and {61 - len(shown)} students more.\n" in text
    assert f"\n… and {60 - len(found['Files passed over'])} files more.\n" in text and found["Files passed over"]


def test_flags_that_were_not_read_are_counted(tmp_path, assignment):
    put(tmp_path, record("mallory", flags=flags(780, 20)))
    assert sections(summary.render(read(tmp_path), assignment))["Flags"][-1] == ["mallory", "", "… and 770 more"]


def test_nobody(assignment, tmp_path):
    assert summary.render(read(tmp_path), assignment) == "## single-head\n\nNo results.\n"


def test_the_terminals_table(small, assignment):
    lines = terminal.render(read(small), assignment).splitlines()
    assert lines[0].split() == ["anna", "10", "/", "10", "......", ".........", "..", ".."]
    assert lines[1].split(maxsplit=8)[4:] == ["......", ".F.F.....", "T.", "..", "flag: library-attention, no-scale"]
    assert lines[2].split(maxsplit=8)[4:] == ["EEEEEE", "EEEEEEEEE", "EE", "EE", "It is no valid JSON."]
    assert lines[3].split(maxsplit=8)[4:] == ["......", ".F.......", "d.", "..", "no-scale, 0.5 open"]
    assert lines[5].split(maxsplit=2) == ["4", "submissions", "mean 6.88, median 8.75 of 10"]
    assert lines[0].index("10 /") == lines[3].index("9 /") - 1 + 2  # one digit less, two wide characters before


def test_the_remarks_are_those_of_the_command_grade(tmp_path, assignment):
    """In the terminal and in Markdown, where flags and open points have columns of their own."""
    failing = {"attention-scale": ("failed", "no-scale"), "softmax-axis": ("failed", "softmax-ignores-axis"), "causal-square": ("deferred", None)}
    classes = {
        "errors": record("errors", {test.split(".")[1]: ("error", None) for test in sentences(assignment)}),
        "mixed": record("mixed", {"attention-scale": ("timeout", None), "causal-square": ("failed", None)}),
        "named": record("named", failing, flags=[{"kind": "library-attention", "evidence": "x"}] * 2),
        "right": record("right"),
    }
    for result in classes.values():
        put(tmp_path, result)
    said = {name: remark(result) for name, result in classes.items()}
    assert said["errors"] == "19 × error" and said["mixed"] == "1 × failed, 1 × timeout" and said["right"] == ""
    order = [misconception for test in classes["named"]["tests"] if (misconception := test["misconception"])]
    assert said["named"] == f"flag: library-attention, {', '.join(order)}, 0.5 open"
    lines = terminal.render(read(tmp_path), assignment).splitlines()
    assert all(line.endswith(said[name]) for name, line in zip(sorted(classes), lines))
    rows = dict((row[0], row[4]) for row in cells(rendered(summary.render(read(tmp_path), assignment))) if len(row) == 5)
    assert rows == said | {"named": f"⚑ {', '.join(order)}"}


@pytest.mark.parametrize("name, places", [("abc", 3), ("李雷", 4), ("e\u0301", 1), ("", 0)])
def test_columns(name, places):
    assert len(terminal.padded(name, 10)) == len(name) + 10 - places


def test_nothing_reaches_the_terminal_that_steers_it(hostile, assignment):
    text = terminal.render(read(hostile), assignment)
    assert all(line.isprintable() for line in text.splitlines()) and len(text.splitlines()) < len(HOSTILE) + 12
