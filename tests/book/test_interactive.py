"""The figures that readers move: their numbers are the chapters' own, every control works by mouse and keyboard, a still stands without them."""

import datetime
import itertools
import json
import re

import numpy as np
import pytest
from bs4 import BeautifulSoup

from autograder.assignment import load
from book.configurator.configure import TARGETS, configure
from book.tools import toc
from book.tools.interactive import NAMES, attention, cache, figure, online, split
from book.tools.interactive.cells import Cells
from book.tools.languages import CODES, SOURCE
from book.tools.paths import BOOK
from tests.book.test_browser import address, browser, pytestmark as needs_browser, reader  # noqa: F401 (fixtures)

PAGES = {"attention": "01-single-head", "split": "03-multi-head", "online": "09-flash", "cache": "11-choosing", "configurator": "11-choosing"}


def cells(name, code=SOURCE):
    return Cells(BOOK / code / f"{PAGES[name]}.md")


def made(name):
    """The figure's data as the page has them."""
    return json.loads(json.dumps(figure(name).data(cells(name), SOURCE), default=str))


def embedded(site, name, code):
    """The figure on the built page, and its data."""
    soup = BeautifulSoup((site / code / f"{PAGES[name]}.html").read_text(encoding="utf-8"), "html.parser")
    box = soup.select_one(f'[data-interactive="{name}"]')
    return box, json.loads(box.select_one('script[type="application/json"]').string)


# --- the page


def test_every_figure_has_its_place():
    assert set(PAGES) == set(NAMES)
    for name, code in itertools.product(NAMES, CODES):
        text = (BOOK / code / f"{PAGES[name]}.md").read_text(encoding="utf-8")
        assert text.count(f"```{{interactive}} {name}\n") == 1


@pytest.mark.parametrize("code", CODES)
@pytest.mark.parametrize("name", NAMES)
def test_the_still_and_the_words_are_in_the_pages_language(site, name, code):
    box, data = embedded(site, name, code)
    rows = box.select(".interactive-stage table tbody tr")
    assert rows and all(row.th["scope"] == "row" for row in rows) and not box.select("button, input, select")
    english = embedded(site, name, SOURCE)[1]["text"]
    assert data["text"].keys() == english.keys()
    if code != SOURCE:
        assert not [key for key, text in data["text"].items() if text == english[key] and " " in text and re.sub(r"\{\w+\}|\W", "", text)]
    for key, text in data["text"].items():
        assert sorted(re.findall(r"\{\w+\}", text)) == sorted(re.findall(r"\{\w+\}", english[key])), key
    assert box["aria-labelledby"] == box.select_one(".interactive-title")["id"]


@pytest.mark.parametrize("code", CODES)
def test_numbers_of_a_figure_are_the_same_in_all_languages(site, code):
    for name in NAMES:
        ours, english = (embedded(site, name, each)[1] for each in (code, SOURCE))
        for key in ("x", "scores", "values", "budgets", "models", "start"):
            assert ours.get(key) == english.get(key)
        if name == "attention":
            assert [head["scores"] for head in ours["heads"]] == [head["scores"] for head in english["heads"]]


def test_a_page_loads_the_scripts_of_its_figures_alone(site):
    for page in toc.chapters():
        text = (site / SOURCE / f"{page}.html").read_text(encoding="utf-8")
        expected = {name for name, where in PAGES.items() if where == page}
        assert set(re.findall(r'src="_static/interactive-(\w+)\.js', text)) == expected
        assert ("_static/interactive.js" in text) == bool(expected)
        for script in re.findall(r"<script[^>]*interactive[^>]*>", text):
            assert "defer" in script


def test_an_unknown_figure_is_an_error():
    with pytest.raises(KeyError):
        figure("pie-chart")


# --- Python: the figures' numbers are those of the chapters' cells


def test_attention_is_the_chapters():
    source = cells("attention")
    data = attention.data(source, SOURCE)
    plain, random, before, after = (np.array(head["scores"]) / np.sqrt(head["d"]) for head in data["heads"])
    softmax = source["row_softmax"]
    assert np.allclose(softmax(plain), source["weights_plain"], atol=1e-4)
    assert np.allclose(softmax(random), source["weights_random"], atol=1e-4)
    for scores, w in ((before, source["untrained"]), (after, source["trained"])):
        assert np.allclose(softmax(scores), source["menu_head"](source["x"], w)[1][0], atol=1e-3)
    masked = np.where(attention.mask("window", 7), after, -np.inf)
    assert np.allclose(softmax(masked), attention.plain_softmax(masked))


def test_masks_are_those_of_chapter_2():
    text = (BOOK / SOURCE / "02-masks.md").read_text(encoding="utf-8")
    assert f"window = causal & (i - j < {attention.WINDOW})" in text
    assert attention.mask("causal", 3).tolist() == np.tri(3, dtype=bool).tolist()


def test_the_online_softmax_is_the_chapters():
    source = cells("online")
    data = online.data(source, SOURCE)
    tiled = source.run("Chip").run("naive_on").run("tiled")["tiled"]
    scores, values = np.array(data["scores"]), np.array(data["values"])
    for tile in data["tiles"]:
        last = online.steps(scores, values, tile)[-1]
        output, logsumexp = tiled(np.ones((1, 1)), scores[:, None], values[:, None], 1, tile)
        assert np.isclose(last["output"], output[0, 0]) and np.isclose(last["m"] + np.log(last["l"]), logsumexp[0])


def test_the_split_is_the_chapters():
    source = cells("split")
    data = split.data(source, SOURCE)
    x = np.array(data["x"])
    assert np.array_equal(split.stages(x, 2, "right")[2], source["right"]) and np.array_equal(split.stages(x, 2, "wrong")[2], source["wrong"])
    for n_heads in data["heads"]:
        assert np.array_equal(split.stages(x, n_heads, "right")[3], x)
        assert not np.array_equal(split.stages(x, n_heads, "wrong")[3], x)


def test_the_caches_are_the_chapters():
    source = cells("cache")
    models = cache.data(source, SOURCE)["models"]
    kv_cache_bytes = load("kv-cache").namespace()["kv_cache_bytes"]
    for model, (name, layers, heads, d_head, kv) in zip(models, source["MODELS"], strict=True):
        assert cache.formula(model, model["kind"])[1] == source["kept"](d_head, kv)
        for kind, n_kv_heads in (("MHA", heads), ("GQA", model["groups"]), ("MQA", 1)):
            assert layers * cache.formula(model, kind)[1] * 2 * 100 == kv_cache_bytes(layers, n_kv_heads, d_head, 100)
        assert heads % model["groups"] == 0


# --- JavaScript: the same numbers as Python


def ask(reader, address, name, script, argument):
    reader.goto(f"{address}/{SOURCE}/{PAGES[name]}.html")
    return reader.evaluate(f"argument => {{ const it = Interactive.figures.{name}; return ({script})(argument); }}", argument)


@needs_browser
def test_attention_in_the_browser(reader, address):
    softmax, data = cells("attention").run("row_softmax")["row_softmax"], made("attention")
    cases = [{"mask": mask, "temperature": temperature, "exponent": exponent} for mask, temperature, exponent in
             itertools.product(("none", "causal", "window"), (0.1, 0.5, 1, 3, 10), (0, 0.25, 0.5, 1))]
    found = ask(reader, address, "attention", "([heads, cases, n]) => heads.map((head) => cases.map((each) => it.weights(head, each, n)))",
                [data["heads"], cases, attention.WINDOW])
    for head, answers in zip(data["heads"], found):
        for case, answer in zip(cases, answers):
            expected = attention.weights(head, case["mask"], case["temperature"], case["exponent"], softmax)
            assert np.allclose(answer, expected, atol=1e-12)


@needs_browser
def test_the_online_softmax_in_the_browser(reader, address):
    rng = np.random.default_rng(0)
    cases = [(scale * rng.normal(size=n), rng.normal(size=n), tile) for n in (1, 5, 16, 33) for scale in (1, 30, 500) for tile in (1, 2, 4, 7, 40)]
    found = ask(reader, address, "online", "cases => cases.map((each) => it.steps(...each))", [[a.tolist(), b.tolist(), tile] for a, b, tile in cases])
    for case, answer in zip(cases, found):
        for ours, theirs in zip(online.steps(*case), answer, strict=True):
            assert ours == pytest.approx(theirs, rel=1e-9, abs=1e-12)


@needs_browser
def test_the_split_in_the_browser(reader, address):
    cases = [([[10 * t + f for f in range(width)] for t in range(tokens)], heads, way)
             for tokens, width in ((4, 6), (3, 8), (1, 4)) for heads in (1, 2, 3, 4, 6) if width % heads == 0 for way in ("right", "wrong")]
    found = ask(reader, address, "split", "cases => cases.map((each) => it.stages(...each))", cases)
    for case, answer in zip(cases, found):
        for ours, theirs in zip(split.stages(*case), answer, strict=True):
            assert list(ours.shape) == theirs["shape"] and ours.ravel().tolist() == theirs["memory"]


@needs_browser
def test_the_caches_in_the_browser(reader, address):
    source = cells("cache")
    models = cache.data(source, SOURCE)["models"]
    settings = [{"context": context, "sequences": sequences, "bytes": size} for context, sequences, size in
                itertools.product((1, 8192, 2**20), (1, 3, 1024), (2, 1, 0.5))]
    found = ask(reader, address, "cache", "([models, kinds, all]) => models.map((m) => kinds.map((k) => all.map((each) => it.cacheBytes(m, k, each))))",
                [models, cache.KINDS, settings])
    for model, answers in zip(models, found):
        for kind, row in zip(cache.KINDS, answers):
            kept = source["kept"](model["d_head"], cache.kept(model, kind))
            assert row == [model["layers"] * kept * each["context"] * each["sequences"] * each["bytes"] for each in settings]


@needs_browser
def test_the_configurator_in_the_browser(reader, address):
    data = made("configurator")
    budgets = [*data["budgets"], *(int(10**power) for power in np.arange(5.01, 12.5, 0.0371))]
    cases = list(itertools.product(budgets, (1, 512, 8192, 131_072, 2**20), [each["name"] for each in data["targets"]]))
    script = """([cases, data]) => cases.map(([parameters, context, name]) => {
        const target = data.targets.find((each) => each.name === name);
        const found = it.configure(parameters, context, target, data);
        return found.error ? found : { ...found, reasons: it.reasons(found, context, target, data.text, data.units) };
    })"""
    kinds = set()
    for case, answer in zip(cases, ask(reader, address, "configurator", script, [cases, data]), strict=True):
        try:
            expected = configure(*case)
        except ValueError as error:
            assert re.search(rf"at most {answer['most']} ", str(error)) and {"weights": "parameters do", "cache": "a context"}[answer["error"]] in str(error)
            kinds.add(answer["error"])
            continue
        kinds.add(expected.kind)
        ours = (expected.kind, expected.n_layers, expected.d_model, expected.n_heads, expected.d_head, expected.n_kv_heads, expected.parameters,
                expected.cache_bytes_per_token, expected.cache_bytes, expected.weight_bytes)
        assert ours == tuple(answer[each] for each in ("kind", "layers", "dModel", "heads", "dHead", "groups", "parameters", "token", "cache", "weightBytes"))
        assert {name: list(sizes) for name, sizes in expected.projections.items()} == answer["projections"]
        assert [bare(each) for each in expected.reasons] == [bare(each) for each in answer["reasons"]]
    assert kinds == {"MHA", "GQA", "MLA", "MQA", "weights", "cache"} and set(TARGETS) == {each[2] for each in cases}


def bare(sentence):
    """A sentence without what separates thousands, and with plain spaces."""
    return re.sub(r"(?<=\d),(?=\d)", "", sentence).replace("\u00a0", " ")


# --- controls, by mouse and keyboard, in every language


class Figure:
    """A figure on an open page."""

    def __init__(self, reader, address, name, code):
        reader.set_viewport_size({"width": 1280, "height": 900})
        reader.goto(f"{address}/{code}/{PAGES[name]}.html")
        self.page, self.box = reader, reader.locator(f'[data-interactive="{name}"]')
        self.box.scroll_into_view_if_needed()

    def all(self, selector):
        return self.box.locator(selector)

    def said(self):
        return self.all(".interactive-said").text_content()

    def read(self):
        """What a screen reader finds, spaces being plain."""
        return plain(self.box.aria_snapshot())

    def changes(self, act, look=None):
        """Whether something that is seen is another one after the act."""
        look = look or (lambda: self.box.locator(".interactive-stage").inner_html() + self.said())
        before = look()
        act()
        return look() != before


def plain(text):
    return re.sub(r"\s", " ", text)


def by_mouse(slider, share):
    """Drags a slider to a place along its width."""
    slider.scroll_into_view_if_needed()
    box = slider.bounding_box()
    slider.page.mouse.click(box["x"] + share * box["width"], box["y"] + box["height"] / 2)


def named(figure):
    """Every control has a name that screen readers read."""
    return figure.page.evaluate("""box => [...box.querySelectorAll("button, select, input")].every((each) =>
        each.textContent.trim() && each.localName === "button" || each.labels.length === 1 && each.labels[0].textContent.trim())""",
        figure.box.element_handle())


@needs_browser
@pytest.mark.parametrize("code", CODES)
def test_moving_attention(reader, address, code):
    it = Figure(reader, address, "attention", code)
    assert named(it) and reader.locator(".interactive-alive").count() == 1
    buttons, (head, mask), (temperature, exponent) = it.all("tbody button"), it.all("select").all(), it.all("input[type=range]").all()
    buttons.nth(2).click()
    assert buttons.nth(2).get_attribute("aria-pressed") == "true" and it.all('[aria-pressed="true"]').count() == 1
    buttons.nth(4).focus()
    assert it.changes(lambda: reader.keyboard.press("Enter"), it.said)
    assert it.changes(lambda: it.all("tbody tr").nth(1).locator("td").first.click(), it.said)
    mask.select_option("causal")
    cells = it.all("tbody td").all_text_contents()
    assert cells[1] == "–" and cells.count("–") == 21
    mask.focus()
    assert it.changes(lambda: reader.keyboard.press("ArrowDown"))
    for slider in (temperature, exponent):
        assert it.changes(lambda: by_mouse(slider, 0.9))
        slider.focus()
        assert it.changes(lambda: [reader.keyboard.press("ArrowLeft") for _ in range(8)])
        assert slider.get_attribute("aria-valuetext")
    for value in ("0", "1", "2", "3"):
        assert it.changes(lambda: head.select_option(value)) or value == "3"
    sums = [sum(float(each.replace("–", "0").replace(",", ".")) for each in row.locator("td").all_text_contents()) for row in it.all("tbody tr").all()]
    assert all(abs(total - 1) < 0.04 for total in sums)
    it.all(".interactive-controls > button").click()
    assert it.all("tbody td").all_text_contents().count("–") == 0
    reader.wait_for_function("document.querySelector('[data-interactive] [role=status]').textContent")
    assert not reader.problems


@needs_browser
@pytest.mark.parametrize("code", CODES)
def test_moving_the_online_softmax(reader, address, code):
    it = Figure(reader, address, "online", code)
    assert named(it)
    previous, forward, play, again = it.all(".interactive-row button").all()
    seen = lambda: it.all("tbody tr:not(.interactive-later)").count()  # noqa: E731
    assert seen() == 0 and previous.get_attribute("aria-disabled") == "true"
    forward.click()
    forward.focus()
    reader.keyboard.press("Enter")
    assert seen() == 2
    previous.focus()
    reader.keyboard.press("Space")
    assert seen() == 1
    for _ in range(3):
        forward.click()
    forward.click(force=True)  # there is no fifth tile
    assert seen() == 4 and forward.get_attribute("aria-disabled") == "true"
    at_the_end = it.all("tbody tr").last.locator("td").last.text_content()
    again.click()
    assert seen() == 0
    it.all("select").select_option("8")
    play.click()
    reader.wait_for_function("document.querySelectorAll('[data-interactive] tbody tr:not(.interactive-later)').length === 2")
    assert it.all("tbody tr").last.locator("td").last.text_content() == at_the_end and at_the_end in it.said()
    assert not reader.problems


@needs_browser
@pytest.mark.parametrize("code", CODES)
def test_moving_the_split(reader, address, code):
    it = Figure(reader, address, "split", code)
    assert named(it)
    heads, way = it.all("select").all()
    step, memory = it.all("input[type=range]"), lambda: it.all(".interactive-memory").text_content()
    previous, forward = it.all(".interactive-row button").all()
    whole = memory()
    forward.click()
    assert memory() == whole
    step.focus()
    reader.keyboard.press("ArrowRight")
    assert memory() != whole and step.get_attribute("aria-valuetext") == "3 / 4"
    assert it.changes(lambda: heads.select_option("3"), memory)
    way.select_option("wrong")
    assert memory() == whole
    by_mouse(step, 0.98)
    assert memory() != whole
    way.select_option("right")
    assert memory() == whole
    previous.focus()
    assert it.changes(lambda: reader.keyboard.press("Enter"), it.said)
    assert not reader.problems


@needs_browser
@pytest.mark.parametrize("code", CODES)
def test_moving_the_cache(reader, address, code):
    it = Figure(reader, address, "cache", code)
    assert named(it)
    preset, bits, groups = it.all("select").all()
    before = it.all("tbody").text_content()
    for slider in it.all("input[type=range]").all():
        assert it.changes(lambda: by_mouse(slider, 0.8))
        slider.focus()
        assert it.changes(lambda: reader.keyboard.press("ArrowLeft"))
    assert it.changes(lambda: bits.select_option("1"))
    assert it.changes(lambda: groups.select_option("4")) and preset.input_value() == ""
    for field in it.all("input[type=number]").all():
        assert it.changes(lambda: field.fill("96"))
        field.focus()
        assert it.changes(lambda: reader.keyboard.press("ArrowUp"))
        assert not it.changes(lambda: field.fill("-3")) and field.get_attribute("aria-invalid") == "true"
        field.fill("96")
    for model in ("PaLM 540B", "DeepSeek-V3"):
        assert it.changes(lambda: preset.select_option(model))
        assert model in it.said() and it.all("tr.interactive-marked").count() == 1
    it.all(".interactive-row button").click()
    assert it.all("tbody").text_content() == before
    assert not reader.problems


@needs_browser
@pytest.mark.parametrize("code", CODES)
def test_moving_the_configurator(reader, address, code):
    it = Figure(reader, address, "configurator", code)
    assert named(it)
    look = lambda: it.box.text_content()  # noqa: E731
    for slider in it.all("input[type=range]").all():
        assert it.changes(lambda: by_mouse(slider, 0.3), look)
        slider.focus()
        assert it.changes(lambda: reader.keyboard.press("ArrowRight"), look)
    target = it.all("select")
    for name in TARGETS:
        target.select_option(name)
        assert it.all(".interactive-reasons li").count() >= 3
    target.select_option("phone")
    by_mouse(it.all("input[type=range]").first, 0.98)
    assert it.all("table").is_hidden() and it.all(".interactive-reasons").is_hidden()
    assert not reader.problems


@needs_browser
@pytest.mark.parametrize("name", NAMES)
def test_a_slider_is_called_by_its_label_alone(reader, address, name):
    """What it is set to is its value, and stands in no name and no second message."""
    it = Figure(reader, address, name, "sv")
    for label in it.all("label:has(input[type=range])").all():
        called = label.locator("span").first.text_content()
        slider = it.box.get_by_role("slider", name=called, exact=True)
        assert slider.count() == 1
        assert slider.get_attribute("aria-valuetext") == label.locator("span").last.text_content()
    assert it.all("p[role=status]").count() == 1


@needs_browser
@pytest.mark.parametrize("code", CODES)
def test_figures_begin_with_the_numbers_of_their_stills(reader, address, browser, code):
    """What the script draws first is what stood there before it."""
    context = browser.new_context(java_script_enabled=False)
    without = context.new_page()
    for name in ("attention", "cache", "configurator", "online"):
        look = lambda page: page.locator(f'[data-interactive="{name}"] tbody').evaluate(  # noqa: E731
            "body => [...body.querySelectorAll('th, td')].map((each) => each.textContent.replace(/\\u202f/g, '\\u00a0'))")
        without.goto(f"{address}/{code}/{PAGES[name]}.html")
        reader.goto(f"{address}/{code}/{PAGES[name]}.html")
        assert look(without) == look(reader), name
        assert without.locator(f'[data-interactive="{name}"] tbody').is_visible()
    context.close()


@needs_browser
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_on_a_phone_nothing_is_wider_than_the_page(reader, address, theme):
    reader.emulate_media(color_scheme=theme)
    reader.set_viewport_size({"width": 390, "height": 800})
    for code, name in itertools.product(CODES, NAMES):
        reader.goto(f"{address}/{code}/{PAGES[name]}.html")
        box = reader.locator(f'[data-interactive="{name}"]')
        assert box.evaluate("box => box.scrollWidth <= box.clientWidth && box.getBoundingClientRect().right <= 390")
        assert box.locator(".interactive-stage").evaluate("stage => stage.scrollWidth <= stage.clientWidth"), (code, name)
    assert not reader.problems


@needs_browser
@pytest.mark.parametrize("width", [320, 360, 576, 600])
def test_what_is_narrow_can_be_read(reader, address, width):
    """Captions are as wide as one sees, wherever the table has been scrolled to, and no score runs into another."""
    reader.set_viewport_size({"width": width, "height": 800})
    for code, name in itertools.product(CODES, NAMES):
        reader.goto(f"{address}/{code}/{PAGES[name]}.html")
        box = reader.locator(f'[data-interactive="{name}"]')
        for far in (0, 1000):
            assert box.evaluate("""(box, far) => {
                const stage = box.querySelector(".interactive-stage");
                stage.scrollLeft = far;
                const { left, right } = stage.getBoundingClientRect();
                return [...stage.querySelectorAll("caption")].map((each) => each.getBoundingClientRect())
                    .every((caption) => caption.left >= left - 1 && caption.right <= right + 1);
            }""", far), (code, name, far)
        assert box.evaluate("""box => {
            const write = (each) => { const range = document.createRange(); range.selectNodeContents(each); return range.getBoundingClientRect(); };
            const scores = [...box.querySelectorAll(".interactive-columns small")].map(write);
            return scores.every((a, n) => scores.slice(n + 1).every((b) => a.right + 2 <= b.left || a.bottom <= b.top || b.bottom <= a.top));
        }"""), (code, name)


# --- what screen readers read


@needs_browser
@pytest.mark.parametrize("name", NAMES)
def test_a_figures_first_sentence_is_read_and_not_announced(reader, address, name):
    for code in CODES:
        it = Figure(reader, address, name, code)
        sentence = it.all(".interactive-stage > p" if name == "configurator" else ".interactive-said").first.text_content()
        reader.wait_for_timeout(700)
        assert it.read().count(plain(sentence)) == 1 and len(sentence) > 10
        assert set(it.all("[role=status]").all_text_contents()) == {""}


@needs_browser
def test_a_new_sentence_is_announced_once_and_then_stands_there_once(reader, address):
    begin = datetime.datetime(2025, 1, 1)
    reader.clock.install(time=begin)
    it = Figure(reader, address, "cache", SOURCE)
    reader.clock.pause_at(begin + datetime.timedelta(hours=1))  # from now on time passes when it is told to
    it.all("select").first.select_option("PaLM 540B")
    status = it.all("p[role=status]")
    assert status.text_content() == ""  # the reader may not be done yet
    reader.clock.run_for(600)
    assert status.text_content() == it.said()
    reader.clock.run_for(10_000)
    assert status.text_content() == "" and it.read().count(plain(it.said())) == 1


@needs_browser
@pytest.mark.parametrize("code", CODES)
def test_the_order_in_memory_is_text(reader, address, code):
    it = Figure(reader, address, "split", code)
    x, (heads, way), forward = made("split")["x"], it.all("select").all(), it.all(".interactive-row button").last
    order, step = it.all(".interactive-unseen"), it.all("input[type=range]")
    for n_heads, kind in itertools.product((2, 3), ("right", "wrong")):
        heads.select_option(str(n_heads))
        way.select_option(kind)
        step.fill("0")
        for place, array in enumerate(split.stages(x, n_heads, kind)):
            forward.click() if place else None
            text = order.text_content()
            assert text in it.read() and f"({', '.join(map(str, array.shape))})" in text
            rows = [[int(each) for each in re.split("[,、]", row)] for row in re.findall(r"\d+(?:(?:, |、)\d+)+(?!\d*\))", text.split(")", 1)[1])]
            assert rows == array.reshape(-1, array.shape[-1]).tolist()
            head = embedded_head(it, n_heads - 1)
            assert (head in text) == (place == 2)
    assert not reader.problems


def embedded_head(figure, n):
    """The name of a head in the page's language."""
    return figure.box.evaluate("(box, n) => JSON.parse(box.querySelector('script').textContent).text.head.replace('{n}', n)", n)


# --- on paper


COLOURED = {"attention": (".interactive-heatmap td", ".interactive-bar i"), "split": (".interactive-cell", ".interactive-memory span"),
            "online": (".interactive-columns i",), "cache": (".interactive-bar i",), "configurator": (".interactive-bar i",)}


@needs_browser
@pytest.mark.parametrize("name", NAMES)
def test_colours_that_tell_something_are_printed(reader, address, name):
    it = Figure(reader, address, name, SOURCE)
    reader.emulate_media(media="print")
    for selector in COLOURED[name]:
        found = it.all(selector).evaluate_all("all => all.map((each) => getComputedStyle(each).printColorAdjust)")
        assert found and set(found) == {"exact"}, selector


@needs_browser
def test_on_paper_all_tiles_have_been_taken_in(reader, address):
    it = Figure(reader, address, "online", SOURCE)
    hidden = lambda: it.all("tbody td").evaluate_all("all => all.filter((each) => getComputedStyle(each).visibility === 'hidden').length")  # noqa: E731
    heights = lambda: it.all(".interactive-columns i").evaluate_all("all => all.map((each) => each.offsetHeight)")  # noqa: E731
    before = it.said()
    assert hidden() == 20 and not any(heights())
    reader.emulate_media(media="print")
    assert hidden() == 0  # by the style sheet alone
    reader.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert sum(heights()) > 100 and it.all("tbody td").last.text_content() in it.said()
    reader.evaluate("dispatchEvent(new Event('afterprint'))")
    reader.emulate_media(media="screen")
    reader.wait_for_timeout(700)
    assert it.said() == before and hidden() == 20 and it.all("[role=status]").text_content() == ""
    assert not reader.problems


@needs_browser
def test_reduced_motion_moves_in_steps(reader, address):
    reader.emulate_media(reduced_motion="reduce")
    reader.goto(f"{address}/{SOURCE}/{PAGES['split']}.html")
    assert reader.locator(".interactive-cell").first.evaluate("cell => getComputedStyle(cell).transitionProperty") == "none"


@needs_browser
def test_figures_live_in_a_page_opened_as_a_file(site, browser):
    context = browser.new_context()
    page = context.new_page()
    for name in NAMES:
        page.goto((site / "sv" / f"{PAGES[name]}.html").as_uri())
        page.wait_for_selector(f'[data-interactive="{name}"].interactive-alive')
    context.close()


@needs_browser
def test_what_a_slider_is_set_to_stands_beside_it(reader, address):
    it = Figure(reader, address, "attention", SOURCE)
    for slider in it.all("input[type=range]").all():
        bar, value = slider.bounding_box(), slider.locator("xpath=following-sibling::*[1]").bounding_box()
        assert value["x"] >= bar["x"] + bar["width"] and abs(value["y"] + value["height"] / 2 - bar["y"] - bar["height"] / 2) < 5


@needs_browser
@pytest.mark.parametrize("code", CODES)
def test_a_number_that_is_refused_is_explained_and_goes_when_the_reader_goes_on(reader, address, code):
    it = Figure(reader, address, "cache", code)
    field = it.all("input[type=number]").nth(1)
    before, last = it.all("tbody").text_content(), field.input_value()
    hint = reader.locator(f"[id='{field.get_attribute('aria-describedby')}']")
    assert hint.text_content() == "" and hint.get_attribute("role") == "status"
    for refused in ("0", "", "1.5", "70000"):
        field.fill(refused)
        assert field.get_attribute("aria-invalid") == "true"
        assert re.findall(r"\d+", re.sub(r"(?<=\d)\D(?=\d{3})", "", hint.text_content())) == ["1", "65536"]
    field.press("Tab")
    assert field.input_value() == last and field.get_attribute("aria-invalid") == "false" and hint.text_content() == ""
    assert it.all("tbody").text_content() == before


@needs_browser
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_colours_that_tell_something_stay_where_the_system_sets_all_others(reader, address, name, scheme):
    reader.emulate_media(forced_colors="active", color_scheme=scheme)
    it = Figure(reader, address, name, SOURCE)
    telling = ".interactive-bar i, .interactive-columns i, .interactive-heatmap td, .interactive-cell"
    looks = it.all(telling).evaluate_all("""all => all.map((each) => {
        const { forcedColorAdjust, color, backgroundImage, backgroundColor } = getComputedStyle(each);
        return [forcedColorAdjust, each.localName === "td" ? color : "", backgroundImage === "none" ? backgroundColor : "paper"]; })""")
    assert looks and {each[0] for each in looks} == {"none"} and {each[1] for each in looks} <= {"", "rgb(17, 17, 17)"}
    assert not {each[2] for each in looks} & {"rgba(0, 0, 0, 0)", "transparent"}
