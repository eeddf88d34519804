"""The HTML page: whole, safe, accessible, and small; what can be seen only in a browser is seen in one."""

import datetime
import random
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from autograder.reports import charts, page
from tests.reports.conftest import HOSTILE, PAYLOAD, flagged_class, put, read, record

VOID = {"meta", "input", "wbr", "br", "circle", "rect", "path"}
OPTIONAL = {"td"}  # end tags that HTML lets one leave out, and the page does


class Outline(HTMLParser):
    """Collects elements, checks that tags are balanced, and that ids are there once."""

    def __init__(self, text):
        super().__init__()
        self.elements, self.stack, self.text = [], [], []
        self.feed(text)
        assert self.stack == []
        ids = [attributes["id"] for _, attributes in self.elements if "id" in attributes]
        assert len(ids) == len(set(ids))
        self.ids = set(ids)

    def handle_starttag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))
        if tag not in VOID:
            if tag == "td" and self.stack[-1] == "td":
                self.stack.pop()
            self.stack.append(tag)

    def handle_endtag(self, tag):
        if tag == "tr" and self.stack[-1] in OPTIONAL:
            self.stack.pop()
        if tag not in VOID:
            assert self.stack.pop() == tag

    def handle_data(self, data):
        self.text.append(data)

    def all(self, tag):
        return [attributes for name, attributes in self.elements if name == tag]


@pytest.fixture
def outline(small, assignment):
    return Outline(page.render(read(small), assignment))


def test_it_says_what_there_is(small, assignment):
    text = page.render(read(small), assignment, datetime.datetime(2026, 5, 1, 9, 30))
    said = " ".join(" ".join(Outline(text).text).split())
    for words in ("Made 2026-05-01 09:30", "submissions 4", "mean of 10 points 6.88", "median 8.75", "full marks 1",
                  "points still open 0.5", "flagged 1", "unreadable 1",
                  "with failures show a known misconception 2 of 2", assignment.wrong["no-scale"].explanation, "2 students, 50 %",
                  "F.scaled_dot_product_attention in cell 4", "It is no valid JSON.", "7.25 s", "3.0 GiB", "--device cuda",
                  "causal-square : 1 student, 0.5 points each"):
        assert words in said, words


def test_the_picture(small, assignment):
    text = page.render(read(small), assignment)
    rows = re.findall(r'<tr role="row" style="[^"]*">(.*?)</tr>', text)
    marks = ["".join(re.findall(r"<td role=cell[^>]*>(.)", row)) for row in rows]
    assert marks == ["✓" * 19, "✓" * 7 + "✗✓✗" + "✓" * 5 + "…✓✓✓", "!" * 19, "✓" * 7 + "✗" + "✓" * 7 + "○✓✓✓"]
    kinds = ["".join(re.findall(r'<td role=cell class="(.)', row)) for row in rows]
    assert set(zip("".join(kinds), "".join(marks))) == {("p", "✓"), ("f", "✗"), ("e", "!"), ("t", "…"), ("d", "○")}
    assert 'title="no-scale">✗' in rows[1] and "⚑" in rows[1] and "✉" in rows[2]


def test_every_order_is_a_permutation(small, assignment):
    styles = re.findall(r'<tr role="row" style="([^"]*)">', page.render(read(small), assignment))
    orders = {key: [int(re.search(rf"--{key}:(\d+)", style)[1]) for style in styles] for key in "sdmg"}
    assert orders == {"s": [3, 1, 0, 2], "d": [1, 0, 3, 2], "m": [1, 2, 3, 0], "g": [3, 1, 0, 2]}


def test_nothing_is_loaded_and_nothing_runs(outline):
    tags = {tag for tag, _ in outline.elements}
    assert not tags & {"script", "link", "img", "iframe", "object", "embed", "base", "form", "image", "use", "foreignobject"}
    names = {name for _, attributes in outline.elements for name in attributes}
    assert not names & {"src", "srcset", "xlink:href", "data", "action", "formaction", "background", "poster"}
    links = [attributes["href"] for _, attributes in outline.elements if "href" in attributes]
    assert links and all(link[0] == "#" and link[1:] in outline.ids for link in links)
    assert not [name for _, attributes in outline.elements for name in attributes if name.startswith("on")]
    style = (Path(page.__file__).parent / "page.css").read_text(encoding="utf-8")
    assert "url(" not in style and "@import" not in style
    policy = outline.all("meta")[1]
    assert policy["http-equiv"] == "Content-Security-Policy"
    assert policy["content"] == "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"


def test_accessible(outline):
    assert outline.all("html") == [{"lang": "en"}]
    assert all(attributes.get("scope") in ("col", "row", "colgroup") for attributes in outline.all("th"))
    assert all(svg.get("role") == "img" and svg.get("aria-label") for svg in outline.all("svg"))
    named = [attributes[key] for _, attributes in outline.elements for key in ("aria-labelledby", "for") if key in attributes]
    assert named and set(named) <= outline.ids
    assert len(outline.all("section")) == len({section["aria-labelledby"] for section in outline.all("section")})
    assert {label["for"] for label in outline.all("label")} == {field["id"] for field in outline.all("input")}
    levels = [int(tag[1]) for tag, _ in outline.elements if re.fullmatch("h[1-6]", tag)]
    assert levels[0] == 1 and levels.count(1) == 1 and all(after - before <= 1 for before, after in zip(levels, levels[1:]))
    assert all(region.get("tabindex") == "0" for tag, region in outline.elements if region.get("role") == "region")
    said = [attributes for _, attributes in outline.elements if attributes.get("class") == "said"]
    assert said and all(attributes["lang"] in ("en", "sv", "zh-CN", "ru") and attributes["dir"] == "auto" for attributes in said)


def luminance(colour):
    colour = colour.lstrip("#")
    colour = "".join(c * 2 for c in colour) if len(colour) == 3 else colour
    channels = (int(colour[n: n + 2], 16) / 255 for n in (0, 2, 4))
    linear = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    return sum(weight * c for weight, c in zip((0.2126, 0.7152, 0.0722), linear))


def test_contrast_in_light_and_dark():
    style = (Path(page.__file__).parent / "page.css").read_text(encoding="utf-8")
    light, dark = (dict(re.findall(r"--([\w-]+): (#\w+)", block)) for block in re.findall(r":root \{(.*?)\}", style, re.S)[:2])
    assert set(dark) == set(light)
    pairs = [(ink, paper) for ink in ("ink", "soft", "link") for paper in ("paper", "card")]
    pairs += [(f"{kind}-ink", kind) for kind in "pfetd"] + [("ink", "warn")]
    for palette in (light, dark):
        for ink, paper in pairs:
            low, high = sorted((luminance(palette[ink]), luminance(palette[paper])))
            assert (high + 0.05) / (low + 0.05) >= 4.5, (ink, paper, palette[ink], palette[paper])
        for shape in ("accent", "full"):
            low, high = sorted((luminance(palette[shape]), luminance(palette["paper"])))
            assert (high + 0.05) / (low + 0.05) >= 3, shape


def test_hostile_texts_are_text(hostile, assignment):
    put(hostile, b"{", "a<script>b")
    text = page.render(read(hostile), assignment)
    found = Outline(text)
    test_nothing_is_loaded_and_nothing_runs(found)
    assert text.count("<h1") == 1 and "\u202e" not in text and "\x1b" not in text and "\ud800" not in text
    shown = "".join(found.text)
    for words in ("<script>document.title='owned'</script>", "{{ 7*7 }}", "&lt;b&gt;&amp;", "a<script>b/single-head.json"):
        assert words in shown
    text.encode("utf-8")


def class_of(folder, number, message_length=400, name="Student {n:03}"):
    random.seed(5)
    for n in range(number):
        result = record(name.format(n=n), score=0.0)
        for test in random.sample(result["tests"], random.choice((0, 1, 2, 3, 6, 19))):
            misconception = random.choice(("no-scale", "mask-inverted", None))
            test |= {"status": "failed", "points": 0.0, "misconception": misconception, "message": "m" * message_length}
        result["score"] = sum(test["points"] for test in result["tests"])
        put(folder, result, f"s{n}")


def test_five_hundred_students_fit(tmp_path, assignment):
    class_of(tmp_path, 500)
    text = page.render(read(tmp_path), assignment)
    assert len(text.encode()) < 2_000_000 and text.count('<tr role="row" style=') == 500
    Outline(text)


def test_details_give_way_and_the_weakest_keep_theirs(tmp_path, assignment, monkeypatch):
    class_of(tmp_path, 30)
    whole = page.render(read(tmp_path), assignment)
    monkeypatch.setattr(page, "BUDGET", int(len(whole) * 0.8))
    short = page.render(read(tmp_path), assignment)
    assert len(short.encode()) < len(whole) and "left out, to keep this page small" in short
    results = read(tmp_path).results
    kept = [results[int(n) - 1].score for n in re.findall(r'<details id="s(\d+)"', short)]
    lost = [results[int(n) - 1].score for n in re.findall(r'<p id="s(\d+)"', short)]
    assert kept and lost and min(kept) == min(result.score for result in results) and max(kept) <= max(lost)
    Outline(short)


def flag_rows(text):
    """[(student, the rest of the row as text)] of the page's table of flags."""
    table = re.search(r'<h2 id="flags">.*?</section>', text, re.S)[0]
    return [(student, re.sub(r"<.*?>", "", row)) for student, row in re.findall(r'<th scope="row"><bdi>(.*?)</bdi></th>(.*?)</tr>', table, re.S)]


@pytest.mark.parametrize("floods, each, most", [(3, 450, 10), (599, 12, 1)])
def test_a_flood_of_flags_keeps_to_its_room(tmp_path, assignment, floods, each, most):
    flagged_class(tmp_path, floods, each)
    text = page.render(read(tmp_path), assignment)
    assert len(text.encode()) <= page.BUDGET and text.count('<tr role="row" style=') == 600
    rows = flag_rows(text)
    students = [student for student, _ in rows]
    assert students.count("s000") == most + 1 and dict(rows)["s000"] == f"… and {each - most} more"
    if floods == 3:
        assert [row for student, row in rows if student == "s598"] == [f"⚑ library-attentionthe {which} was called" for which in ("one", "other")]
    else:
        assert f"… and {599 - len(set(students))} students more" in text and len(set(students)) > 150
    assert text.count('<details id="s') > 500
    Outline(text)


def test_notes_and_broken_files_keep_to_their_room(tmp_path, assignment):
    for n in range(600):
        put(tmp_path, record(f"s{n:03}", note="<" * 600))
        put(tmp_path, b"{", "<" * 100 + f"{n:03}")
    text = page.render(read(tmp_path), assignment)
    assert len(text.encode()) <= page.BUDGET
    said = re.search(r'<h2 id="unreadable">.*?</section>', text, re.S)[0]
    assert f"… and {600 - said.count('<tr>') + 1} students more" in said and said.count("<tr>") > 50
    over = re.search(r'<section class="warning".*?</section>', text, re.S)[0]
    assert "600 files were passed over" in over and f"<li>… and {600 - over.count('<li><code>')} more</li>" in over and over.count("<li><code>") > 100
    Outline(text)


@pytest.mark.parametrize("room", [0, 10_000, 60_000])
def test_the_page_keeps_to_its_budget_with_what_it_says_of_details_left_out(tmp_path, assignment, monkeypatch, room):
    class_of(tmp_path, 60)
    monkeypatch.setattr(page, "BUDGET", 0)
    least = len(page.render(read(tmp_path), assignment).encode())
    monkeypatch.setattr(page, "BUDGET", least + room)
    assert least + room - 10_000 <= len(page.render(read(tmp_path), assignment).encode()) <= least + room


def test_nobody_and_one(tmp_path, assignment):
    put(tmp_path, b"{", "broken")
    assert "No submission has a result" in page.render(read(tmp_path), assignment) and Outline(page.render(read(tmp_path), assignment))
    put(tmp_path, record("anna"))
    assert "Every test was passed by everybody" in page.render(read(tmp_path), assignment)


def test_remarks(tmp_path, assignment):
    put(tmp_path, record("a"))
    put(tmp_path, record("b"))
    put(tmp_path, record("c", tests=record()["tests"][:3], score=9.0))
    text = page.render(read(tmp_path), assignment)
    assert "1 submission was graded with other tests than the rest" in text
    assert "not the sum of the tests&#39; points in 1 result: c" in text
    assert text.count("–</td>") + text.count('">–') >= 16


def test_histogram_bars_have_the_heights_of_their_counts():
    drawn = charts.histogram([2, 0, 0, 0, 0, 1, 0, 1, 10, 10, 6], 10)
    heights = [float(height) for height in re.findall(r'<rect[^>]* height="([\d.]+)"', drawn)]
    assert [round(height / heights[8] * 10, 1) for height in heights] == [2, 0, 0, 0, 0, 1, 0, 1, 10, 10, 6]
    assert "10 from 8 to less than 9 points" in drawn and "6 with 10 points" in drawn


@pytest.mark.parametrize("values", [[57.0, 58.0], [3000.0, 60.0], [5.0], [1.0, 1.0]])
def test_an_axis_holds_its_values(values):
    scale = charts._Scale(values)
    assert scale.ticks[0] <= min(values) and scale.ticks[-1] >= max(values) and 1 <= len(scale.ticks) - 1 <= 8
    assert all(charts.TOP - 1 <= scale.height(value) <= charts.HIGH - charts.BOTTOM + 1 for value in values)


@pytest.fixture(scope="module")
def browser(chromium):
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        yield browser
        browser.close()


def opened(browser, folder, assignment, tmp_path, width=1280, script=True):
    path = tmp_path / "report.html"
    path.write_text(page.render(read(folder), assignment), encoding="utf-8")
    tab = browser.new_context(viewport={"width": width, "height": 900}, java_script_enabled=script).new_page()
    tab.requests, tab.errors = [], []
    tab.on("request", lambda request: tab.requests.append(request.url))
    tab.on("console", lambda message: tab.errors.append(message.text))
    tab.on("dialog", lambda dialog: tab.errors.append("dialog"))
    tab.goto(path.as_uri())
    return tab


@pytest.mark.parametrize("width", [1280, 390])
def test_in_a_browser_nothing_runs_or_overflows(browser, hostile, assignment, tmp_path, width):
    tab = opened(browser, hostile, assignment, tmp_path, width)
    tab.wait_for_timeout(200)
    assert tab.title() == "Class report: single-head" and len(tab.requests) == 1 and tab.errors == []
    assert tab.evaluate("document.documentElement.scrollWidth") <= width
    assert tab.locator("h1").count() == 1 and tab.locator("table.picture tbody tr").count() == len(HOSTILE)
    assert PAYLOAD.split("\n")[0] in tab.locator(".evidence").first.inner_text()


def test_the_order_changes_without_a_script(browser, small, assignment, tmp_path):
    tab = opened(browser, small, assignment, tmp_path, script=False)

    def names():
        rows = tab.locator("table.picture tbody tr").all()
        return [row.locator("bdi").inner_text() for row in sorted(rows, key=lambda row: row.bounding_box()["y"])]

    orders = {"name": ["anna", "Björn", "zoe", "李雷"], "lowest score": ["zoe", "Björn", "李雷", "anna"],
              "highest score": ["anna", "李雷", "Björn", "zoe"],
              "slowest": ["Björn", "anna", "李雷", "zoe"], "most memory": ["李雷", "anna", "Björn", "zoe"]}
    for label, expected in orders.items():
        tab.get_by_text(label, exact=True).click()
        assert names() == expected, label


def test_columns_line_up(browser, small, assignment, tmp_path):
    for width in (1280, 390):
        tab = opened(browser, small, assignment, tmp_path, width)
        head = [cell.bounding_box()["x"] for cell in tab.locator("table.picture .names > *").all()]
        for row in tab.locator("table.picture tbody tr").all():
            assert [cell.bounding_box()["x"] for cell in row.locator(":scope > *").all()] == pytest.approx(head, abs=1)
