"""The build: what is built again and what is not, what makes it fail, and the conversion to notebooks."""

import json
import os
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import nbformat
import pytest

from book.tools import build, markdown, notebooks, runtime, serve, stamp, subset_font
from book.tools.ext import search_zh
from book.tools.languages import BY_CODE, CODES, language
from book.tools.paths import BOOK, FONTS, ROOT

from .searching import OURS

HEAD = """---
jupytext:
  text_representation: {extension: .md, format_name: myst}
kernelspec: {display_name: Python 3, name: python3}
---

"""
CELL = "```{code-cell} ipython3\nimport time  # LANGUAGE\n\nprint(time.time_ns())\n```\n"
ALIKE = "```{code-cell} ipython3\nimport time\n\ntime.sleep(3)\nprint(time.time_ns())\n```\n"  # long enough for another language to arrive


# --- a small book of two languages

class SmallBook:
    """A copy of the book's machinery with chapters of a few lines."""

    def __init__(self, root: Path) -> None:
        self.root = root
        for name in ("_config.yml", "_toc.yml"):
            shutil.copy(ROOT / name, root)
        shutil.copytree(BOOK, root / "book", ignore=shutil.ignore_patterns(*CODES, "__pycache__", "references.bib", "untranslated.txt"))
        (root / "autograder").symlink_to(ROOT / "autograder")  # pages list what exercises catch
        (root / "_toc.yml").write_text("format: jb-book\nroot: start\nchapters:\n  - file: next\n", encoding="utf-8")
        for code in ("en", "sv"):
            self.write(code, "start", f"# Start {code}\n\nProse {code}. See {{ref}}`there`.\n\n{CELL}")
            self.write(code, "next", f"(there)=\n# Next {code}\n\nMore prose.\n\n{ALIKE}")

    def write(self, code: str, name: str, text: str) -> None:
        path = self.root / "book" / code / f"{name}.md"
        path.parent.mkdir(exist_ok=True)
        path.write_text(HEAD + text.replace("LANGUAGE", code), encoding="utf-8")

    def listed(self, *entries: str) -> None:
        """Put these pages, and no others, on the list of the untranslated."""
        (self.root / "book" / "untranslated.txt").write_text("\n".join(["# waiting", *entries, ""]), encoding="utf-8")

    def build(self, *codes: str) -> subprocess.CompletedProcess:
        command = [sys.executable, "-m", "book.tools.build", *(part for code in codes for part in ("--language", code))]
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        return subprocess.run(command, cwd=self.root, env=environment, capture_output=True, encoding="utf-8", errors="replace")

    def page(self, code: str, name: str) -> str:
        return (self.root / "_build" / "site" / code / f"{name}.html").read_text(encoding="utf-8")

    def clock(self, code: str, page: str = "start") -> str:
        """What the cell printed when it was run: another number each time."""
        return self.page(code, page).split('class="output stream')[1].split("<span></span>")[1].split()[0]


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """The small book, built once."""
    book = SmallBook(tmp_path_factory.mktemp("book"))
    done = book.build("en", "sv")
    assert done.returncode == 0, done.stdout + done.stderr
    return book


def test_languages_with_the_same_code_execute_it_once(small):
    assert small.clock("en", "next") == small.clock("sv", "next")
    assert small.clock("en") != small.clock("sv")


def test_second_build_does_nothing(small):
    before = {path: path.stat().st_mtime_ns for path in (small.root / "_build" / "site").rglob("*")}
    done = small.build("en", "sv")
    assert done.returncode == 0
    assert "en: up to date" in done.stdout and "sv: up to date" in done.stdout
    assert before == {path: path.stat().st_mtime_ns for path in (small.root / "_build" / "site").rglob("*")}


def test_edited_prose_rebuilds_its_language_and_runs_nothing(small):
    clocks = small.clock("en"), small.clock("sv")
    small.write("sv", "start", f"# Start sv\n\nAnother prose. See {{ref}}`there`.\n\n{CELL}")
    done = small.build("en", "sv")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "en: up to date" in done.stdout and "sv: built" in done.stdout
    assert "Another prose" in small.page("sv", "start")
    assert clocks == (small.clock("en"), small.clock("sv"))


def test_only_edited_pages_are_read_and_all_are_written(small):
    """Whatever the time of the file says; and the result is what a build from nothing gives."""
    kept, site = small.root / "_build" / "sv" / ".doctrees", small.root / "_build" / "site" / "sv"
    before = {name: (kept / f"{name}.doctree").stat().st_mtime_ns for name in ("start", "next")}
    small.write("sv", "start", f"# A new title\n\nProse. See {{ref}}`there`.\n\n{CELL}")
    os.utime(small.root / "book" / "sv" / "start.md", (0, 0))
    assert small.build("en", "sv").returncode == 0
    assert [(kept / f"{name}.doctree").stat().st_mtime_ns != before[name] for name in ("start", "next")] == [True, False]
    assert "A new title" in small.page("sv", "next")
    files = contents(site)
    shutil.rmtree(small.root / "_build" / "sv")
    assert small.build("en", "sv").returncode == 0
    assert contents(site) == files


def contents(folder: Path) -> dict[str, bytes]:
    """All files of a folder, by their names."""
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def test_a_build_that_was_stopped_before_its_site_was_there_is_ended_by_the_next(small):
    """All languages are built then, and nothing is to be done but to put the site together."""
    stopped = ("from book.tools import build, site\n"
               "def stop(*_, **__):\n    raise KeyboardInterrupt\n"
               "site.assemble = stop\n"
               "build.main(['--language', 'en', '--language', 'sv'])")
    small.write("sv", "start", f"# Start sv\n\nProse of a build that is stopped. See {{ref}}`there`.\n\n{CELL}")
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run([sys.executable, "-c", stopped], cwd=small.root, env=environment, capture_output=True, encoding="utf-8")
    assert "sv: built" in done.stdout and "KeyboardInterrupt" in done.stderr
    done = small.build("en", "sv")
    assert done.returncode == 0 and "sv: up to date" in done.stdout
    assert "Prose of a build that is stopped" in small.page("sv", "start")


@pytest.fixture
def stamped(tmp_path, monkeypatch):
    """A folder in which Swedish has two pages, one of which includes a picture."""
    for name in ("BOOK", "BUILD", "LOCALE", "CONFIG", "ROOT"):
        monkeypatch.setattr(stamp, name, tmp_path / {"BOOK": "book", "BUILD": "_build", "LOCALE": "locale", "CONFIG": "_config.yml", "ROOT": ""}[name])
    monkeypatch.setattr(stamp, "COMMON", [tmp_path / "_config.yml"])
    (tmp_path / "book" / "sv").mkdir(parents=True)
    (tmp_path / "_build" / "sv").mkdir(parents=True)
    (tmp_path / "_config.yml").write_text("title: A book\n", encoding="utf-8")
    for name in ("one", "two"):
        (tmp_path / "book" / "sv" / f"{name}.md").write_text(name, encoding="utf-8")
    (tmp_path / "picture.svg").write_text("<svg/>", encoding="utf-8")
    (tmp_path / "_build" / "sv" / "dependencies.json").write_text('["picture.svg"]', encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("change", [
    lambda root: (root / "_config.yml").write_text((root / "_config.yml").read_text(encoding="utf-8") + "# another\n", encoding="utf-8"),
    lambda root: (root / "book" / "sv" / "beside.txt").write_text("a page may include it", encoding="utf-8"),
    lambda root: (root / "picture.svg").write_text("<svg></svg>", encoding="utf-8"),
    lambda root: (root / "book" / "sv" / "more.md").write_text("another page", encoding="utf-8"),
], ids=["settings", "a file beside the pages", "a file that a page includes", "a page more"])
def test_all_pages_are_read_again_where_more_than_pages_has_changed(stamped, change):
    swedish = language("sv")
    assert stamp.changed(swedish) is None  # nothing has been built
    assert stamp.write(swedish, stamp.state(swedish))
    assert stamp.changed(swedish) == []
    (stamped / "book" / "sv" / "two.md").write_text("2", encoding="utf-8")
    assert stamp.changed(swedish) == ["two"]
    assert stamp.changed(swedish, "https://example.org") is None
    change(stamped)
    assert stamp.changed(swedish) is None


@pytest.mark.parametrize("name", ["_config.yml", "picture.svg"])
def test_what_is_edited_while_pages_are_built_is_not_taken_as_built(stamped, name):
    swedish = language("sv")
    before = stamp.state(swedish)
    (stamped / name).write_text("edited meanwhile", encoding="utf-8")
    assert not stamp.write(swedish, before)
    assert stamp.changed(swedish) is None


def test_a_page_that_is_edited_while_it_is_built_is_built_again(stamped):
    swedish = language("sv")
    before = stamp.state(swedish)
    (stamped / "book" / "sv" / "two.md").write_text("edited meanwhile", encoding="utf-8")
    assert stamp.write(swedish, before)
    assert stamp.changed(swedish) == ["two"]


def test_a_build_tells_what_was_edited_meanwhile(monkeypatch, capsys, tmp_path):
    """And puts the site together all the same."""
    monkeypatch.setattr(stamp, "mark", lambda language: tmp_path / "none")
    monkeypatch.setattr(stamp, "changed", lambda *_: None)
    monkeypatch.setattr(build, "build_language", lambda *_: (True, "", 0.0))
    monkeypatch.setattr(build.site, "assemble", lambda *_, **__: None)
    monkeypatch.setattr(build, "ASSEMBLED", tmp_path / "assembled.json")
    assert build.build([language("sv")]) == 0
    said = capsys.readouterr().out
    assert "sv: settings, tools or files that pages include were edited meanwhile" in said
    assert "It holds sv alone: its links to en, zh-CN, ru lead nowhere until all are built." in said


def test_notebook_is_the_same_on_every_build(small):
    path = small.root / "_build" / "site" / "en" / "notebooks" / "start.ipynb"
    before = path.read_bytes()
    shutil.rmtree(small.root / "_build" / "en")
    assert small.build("en", "sv").returncode == 0
    assert path.read_bytes() == before


def test_a_second_build_waits_for_the_first(tmp_path, monkeypatch):
    entered, told = threading.Event(), threading.Event()
    monkeypatch.setattr(build, "print", lambda text, **_: told.set() if "Another build is running" in text else None, raising=False)

    def second() -> None:
        with build.alone(tmp_path):
            entered.set()

    thread = threading.Thread(target=second, daemon=True)
    with build.alone(tmp_path):
        thread.start()
        assert told.wait(30) and not entered.wait(0.3)
    assert entered.wait(30)
    thread.join(10)


def test_missing_page_is_named(small):
    done = small.build("en", "ru")
    assert done.returncode == 1
    assert "Русский has no page book/ru/start.md" in done.stderr


def test_a_page_that_the_table_of_contents_forgets_is_named(small):
    page = small.root / "book" / "en" / "forgotten.md"
    page.write_text("# Forgotten\n", encoding="utf-8")
    try:
        done = small.build("en", "sv")
        assert done.returncode == 1 and "book/en/forgotten.md" in done.stderr and "put it into _toc.yml" in done.stderr
    finally:
        page.unlink()


@pytest.mark.parametrize(("text", "said"), [
    ("# Start\n\n{ref}`there`\n\n```{code-cell} ipython3\none, nought = 1, 0\none / nought\n```\n", "ZeroDivisionError"),
    ("# Start\n\n{ref}`nowhere`\n", "nowhere"),
    ("# Start\n\n{ref}`there`\n\n```{unheard-of}\n```\n", "unheard-of"),
    ("# Start\n\n{ref}`there`\n\n```{code-cell} ipython3\nimport sys\n\nprint('Glyph 1 missing', file=sys.stderr)\n```\n", "stderr"),
], ids=["a cell that raises", "a reference to nothing", "a directive that nobody knows", "a cell that warns"])
def test_fault_fails_the_build_and_leaves_the_site(small, text, said):
    good = (small.root / "book" / "en" / "start.md").read_text(encoding="utf-8")
    before = small.page("en", "start")
    small.write("en", "start", text)
    try:
        for _ in range(2 if said in {"nowhere", "unheard-of"} else 1):  # the second time as well: what a failed build has read is read again
            done = small.build("en", "sv")
            assert done.returncode == 1, done.stdout
            assert "en: FAILED" in done.stdout
            assert said in done.stderr
            assert small.page("en", "start") == before
    finally:
        (small.root / "book" / "en" / "start.md").write_text(good, encoding="utf-8")


# --- a language that lacks a page

PARTS = """format: jb-book
root: start
parts:
  - caption: Foundations
    numbered: 1
    chapters: [{file: first}]
  - caption: Foundations
    numbered: 1
    chapters: [{file: next}]
"""
FIRST = "(first)=\n# The *first* one\n\n(first-part)=\n## Its part\n\n$$\na\n$$ (eq-zero)\n\n$$\nb\n$$ (eq-first)\n"
SHARED = "```{code-cell} ipython3\n# shared\nimport time\n\nclock = time.time_ns()\n```\n\n```{code-cell} ipython3\nprint(clock, 'LANGUAGE')\n```\n"
REFERRING = ("# Next LANGUAGE\n\n{ref}`first`, {ref}`there <first-part>`, {eq}`eq-first`, {doc}`first`, [](#first-part) and [this](first.md).\n\n"
             "$$\nc\n$$ (eq-next)\n\n{eq}`eq-next`\n\n")


@pytest.fixture(scope="module")
def partly(tmp_path_factory):
    """A book whose first chapter is there in English alone, and on the list."""
    book = SmallBook(tmp_path_factory.mktemp("partly"))
    (book.root / "_toc.yml").write_text(PARTS, encoding="utf-8")
    book.write("en", "first", FIRST)
    for code in ("en", "sv"):
        book.write(code, "start", f"# Start {code}\n\nProse.\n")
        book.write(code, "next", REFERRING + SHARED)
    book.listed("book/sv/first.md")
    done = book.build("en", "sv")
    assert done.returncode == 0, done.stdout + done.stderr
    return book


def test_pages_in_english_alone_are_linked_kindly(partly):
    for name in ("start", "next", "search"):
        text = partly.page("sv", name)
        assert "Än så länge på engelska" in text
        assert '<a class="reference external" href="../en/first.html" lang="en" hreflang="en">1. The first one</a>' in text
    assert "In English so far" not in partly.page("en", "start")
    assert not (partly.root / "_build" / "site" / "sv" / "first.html").exists()
    assert '<a href="../sv/start.html" lang="sv" hreflang="sv" data-language="sv">' in partly.page("en", "first")
    assert '<a href="../sv/next.html" lang="sv" hreflang="sv" data-language="sv" data-same-page>' in partly.page("en", "next")
    assert 'hreflang="sv"' not in partly.page("en", "first").split("</head>")[0]


def test_chapters_keep_their_numbers(partly):
    for code in ("en", "sv"):
        text = partly.page(code, "next")
        assert '<span class="section-number">2. </span>Next' in text and "(2.1)" in text


def test_references_lead_to_the_english_page(partly):
    text = partly.page("sv", "next")
    for target, said in (("first", "The first one"), ("first-part", "there"), ("equation-eq-first", "(1.2)"), ("first-part", "Its part")):
        assert any(said in each.split("</a>")[0] for each in text.split(f'href="../en/first.html#{target}"')[1:]), (target, said)
    assert text.count('href="../en/first.html"') == 3  # the list, {doc} and the link by file
    notebook = (partly.root / "_build" / "site" / "sv" / "notebooks" / "next.ipynb").read_text(encoding="utf-8")
    assert "The first one, there, (1.2), The first one, Its part and this." in notebook


def test_a_shared_cell_gives_all_languages_the_same(partly):
    clocks = [partly.page(code, "next").split('class="output stream')[1].split("<span></span>")[1].split()[:2] for code in ("en", "sv")]
    assert clocks[0][0] == clocks[1][0] and [each[1].split("<")[0] for each in clocks] == ["en", "sv"]


def test_a_shared_cell_that_prints_fails_the_build_with_its_page_and_the_remedy(partly):
    good = (partly.root / "book" / "en" / "next.md").read_text(encoding="utf-8")
    partly.write("en", "next", REFERRING + SHARED.replace("clock = time.time_ns()", "clock = time.time_ns()\nprint(clock)"))
    try:
        done = partly.build("en", "sv")
        assert done.returncode == 1 and "next.md" in done.stderr
        assert "it must print and draw nothing" in done.stderr and "Move that to the next cell" in done.stderr
    finally:
        (partly.root / "book" / "en" / "next.md").write_text(good, encoding="utf-8")


def test_a_list_that_is_not_true_fails_the_build(partly):
    try:
        partly.listed()
        done = partly.build("en", "sv")
        assert done.returncode == 1 and "Svenska has no page book/sv/first.md" in done.stderr and "book/untranslated.txt" in done.stderr
        partly.listed("book/sv/first.md", "book/sv/next.md")
        done = partly.build("en", "sv")
        assert done.returncode == 1 and "book/sv/next.md is on the list" in done.stderr and "take it off" in done.stderr
        (partly.root / "book" / "sv" / "start.md").rename(partly.root / "start.md")
        partly.listed("book/sv/first.md", "book/sv/start.md")
        done = partly.build("en", "sv")
        assert done.returncode == 1 and "Svenska has no page book/sv/start.md" in done.stderr, "no language without its first page"
    finally:
        if (partly.root / "start.md").exists():
            (partly.root / "start.md").rename(partly.root / "book" / "sv" / "start.md")
        partly.listed("book/sv/first.md")


# --- surroundings

def test_other_packages_or_fonts_empty_the_cache(tmp_path, monkeypatch):
    monkeypatch.setattr(runtime, "RUNTIME", tmp_path / "runtime")
    monkeypatch.setattr(runtime, "CACHE", tmp_path / "cache")
    monkeypatch.setattr(runtime, "SHARED", tmp_path / "shared")
    fonts = tmp_path / "fonts"
    fonts.mkdir()
    (fonts / "one.otf").write_bytes(b"one")
    monkeypatch.setattr(runtime, "FONTS", fonts)
    monkeypatch.setattr(runtime, "packages", lambda: ["numpy==1"])
    kept = tmp_path / "cache" / "executed"

    def survives() -> bool:
        kept.touch()
        runtime.prepare()
        return kept.exists()

    runtime.prepare()
    assert survives()
    monkeypatch.setattr(runtime, "packages", lambda: ["numpy==2"])
    assert not survives()
    assert survives()
    (fonts / "one.otf").write_bytes(b"two")
    assert not survives()


FIRST_TIME = "Matplotlib is building the font cache; this may take a moment."  # on a machine that has never drawn


def test_figures_find_chinese(tmp_path):
    """In the surroundings of the build, matplotlib draws all four languages, signs and accents with no warning."""
    runtime.prepare()
    code = ("import warnings; warnings.simplefilter('error')\n"
            "import matplotlib; matplotlib.use('agg')\n"
            "import matplotlib.pyplot as plt\n"
            "from matplotlib import font_manager\n"
            "assert 'Noto Sans SC' in font_manager.get_font_names()\n"
            "plt.title('注意力权重：查询与键（−√d）'); plt.xlabel('huvud åäö, вес внимания ё'); plt.savefig('figure.png')\n")
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, env=runtime.environment(), capture_output=True, encoding="utf-8")
    assert done.returncode == 0, done.stderr
    assert not done.stderr.replace(FIRST_TIME, "").strip()


def test_font_is_small_licensed_and_whole():
    from fontTools.ttLib import TTFont

    path = FONTS / "NotoSansSC-Subset.otf"
    assert path.stat().st_size < subset_font.LARGEST
    assert "SIL OPEN FONT LICENSE" in (FONTS / "OFL.txt").read_text(encoding="utf-8")
    held = set(TTFont(path).getBestCmap())
    assert len(subset_font.gb2312_level_1()) == 3755
    assert subset_font.gb2312_level_1() <= held
    assert {ord(each) for each in "åäöÅÄÖёЁжЖ−√≤≥×·∞∈αβΣ→←“”《》，。：（）"} <= held


def test_languages():
    assert CODES == ("en", "sv", "zh-CN", "ru")
    assert BY_CODE["ru"].title == "Внимание: голова за головой"
    with pytest.raises(ValueError, match="'de'.*en, sv, zh-CN, ru"):
        language("de")


def test_server_says_utf8():
    kinds = serve.Handler.extensions_map
    assert all(kinds[ending].endswith("charset=utf-8") for ending in (".html", ".js", ".css", ".ipynb"))


# --- Chinese search

def test_chinese_is_cut_into_pairs():
    assert search_zh.cut("注意力") == ["注", "意", "力", "注意", "意力"]
    assert search_zh.cut("KV 缓存,d_head") == ["缓", "存", "缓存", "KV", "d", "head"]


def test_browser_cuts_as_the_index_does(tmp_path):
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not installed; the browser tests search as well")
    for text in ("注意力权重", "头", "KV缓存 softmax", "什么是 attention？", "Hello, world"):
        script = f"{search_zh.SPLIT_QUERY}\nprocess.stdout.write(JSON.stringify(splitQuery({json.dumps(text)})))"
        terms = json.loads(subprocess.run([node, "-e", script], capture_output=True, check=True, encoding="utf-8").stdout)
        assert terms and set(terms) <= set(search_zh.cut(text))


# --- Russian and Swedish search

SEARCHED = {code: OURS[code] for code in ("ru", "sv")}
# The forms of a word of the course, a line a word.
FORMS = {
    "ru": """
        внимание внимания вниманию вниманием внимании
        голова головы голове голову головой голов головам головами головах
        маска маски маске маску маской масок маскам масками масках
        ошибка ошибки ошибке ошибку ошибкой ошибок ошибками ошибках
        оценка оценки оценке оценку оценкой оценок оценкам оценками оценках
        строка строки строке строку строкой строк строкам строками строках
        столбец столбца столбцу столбцом столбце столбцы столбцов столбцам столбцами столбцах
        ячейка ячейки ячейке ячейку ячеек ячейках
        точка точки точке точку точкой точек
        токен токена токену токеном токене токены токенов токенам токенами токенах
        ключ ключа ключу ключом ключе ключи ключей ключам ключами ключах
        запрос запроса запросу запросом запросе запросы запросов запросам запросами запросах
        значение значения значению значением значении значений значениям значениями значениях
        вес веса весом весу весов весами весах
        слой слоя слою слоем слое слои слоёв слоям слоями слоях
        память памяти памятью памятей
        ядро ядра ядру ядром ядре ядер ядрах
        число числа числу числом числе чисел числам числами числах
        угол угла углу углом угле углы углов углам
        список списка списку списке списки списков
        порядок порядка порядку порядком порядке порядков порядках
        поток потока потоку потоком потоке потоки потоков потокам
        блок блока блоку блоком блоке блоки блоков блокам блоками
        матрица матрицы матрице матрицу матрицей матриц матрицами матрицах
        тайл тайла тайлу тайлом тайле тайлы тайлов тайлам тайлами тайлах
        канал канала каналом каналы каналов каналам каналами
        массив массива массивом массиве массивы массивов массивах
        вызов вызова вызову вызовом вызове вызовы вызовов вызовами
        время времени временем времена
        ноль нуля нулю нулём нуле нули нулей нулями
        ось оси осью осей осями
        диагональ диагонали диагональю
        рисунок рисунка рисунком рисунке рисунки рисунков рисунках
        перестановка перестановки перестановок
        эмбеддинг эмбеддинга эмбеддингу эмбеддинги эмбеддингов
        кэш кэша кэшу кэшем кэше кэши кэшей
    """,
    "sv": """
        attention attentions
        huvud huvudet huvuden huvudena huvuds huvudets huvudens huvudenas
        nyckel nyckeln nycklar nycklarna nyckelns nycklarnas
        query queryn queries querys queryns
        värde värdet värden värdena värdets värdenas
        medelvärde medelvärdet medelvärden
        vikt vikten vikter vikterna viktens vikternas
        mask masken masker maskerna maskens
        poäng poängen poängens
        rad raden rader raderna radens radernas
        kolonn kolonnen kolonner kolonnerna
        ruta rutan rutor rutorna rutans rutornas
        block blocket blocken blockens blockets
        token tokens tokenen tokenens
        vektor vektorn vektorer vektorerna vektorns vektorernas
        tensor tensorn tensorer tensorerna tensorns tensorernas
        faktor faktorn faktorer faktorerna faktorns
        matris matrisen matriser matriserna matrisens
        axel axeln axlar axlarna
        vinkel vinkeln vinklar vinklarna vinklarnas
        lager lagret lagren lagrets lagrens
        kärna kärnan kärnor kärnorna kärnans
        sekvens sekvensen sekvenser sekvenserna sekvensens
        frekvens frekvensen frekvenser frekvenserna
        plats platsen platser platserna
        minne minnet minnen minnena
        fråga frågan frågor frågorna
        summa summan summor summorna
        resultat resultatet resultaten resultatens
        skillnad skillnaden skillnader skillnaderna
        parameter parametern parametrar parametrarna
        kapitel kapitlet kapitlen kapitlets
        program programmet programmen
        mönster mönstret mönstren
        krets kretsen kretsar
        gräns gränsen gränser gränserna
        argument argumentet argumenten
        avstånd avståndet avstånden
        formel formeln formler
        kopia kopian kopior kopiorna
        gradient gradienten gradienter gradienterna gradientens
        projektion projektionen projektioner projektionerna
    """,
}
UNLIKE = {
    "ru": "голова голый ток токен блок строка срок слово слой маска масса час часть точка точность число ось о поток потом порядок порода",
    "sv": "nyckel nytta token tok ruta rutt data dator process processor faktor fakta lag lager hög höger median medium vikt vinkel plats",
}


@pytest.mark.parametrize(("code", "forms"), [(code, line) for code, lines in FORMS.items() for line in lines.strip().splitlines()])
def test_forms_of_a_word_have_one_stem(code, forms):
    stem = SEARCHED[code]({}).stem
    assert len({stem(each) for each in forms.split()}) == 1, {each: stem(each) for each in forms.split()}


@pytest.mark.parametrize("code", UNLIKE)
def test_unlike_words_have_stems_of_their_own(code):
    words = UNLIKE[code].split()
    stems = [SEARCHED[code]({}).stem(each) for each in words]
    assert len(set(stems)) == len(words), dict(zip(words, stems, strict=True))


@pytest.mark.parametrize("code", SEARCHED)
def test_browser_stems_as_the_index_does(code):
    """Of every word in the language's pages."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not installed; the browser tests compare some words")
    searching = SEARCHED[code]({})
    words = {each.lower() for path in (BOOK / code).glob("*.md") for each in searching.split(path.read_text(encoding="utf-8"))}
    words = sorted(words | set(searching.like) | set(FORMS[code].split()))
    script = f"""{searching.js_stemmer_code}
const stemmer = new Stemmer();
process.stdout.write(JSON.stringify(JSON.parse(require("fs").readFileSync(0, "utf-8")).map((word) => stemmer.stemWord(word))));"""
    done = subprocess.run([node, "-e", script], input=json.dumps(words), capture_output=True, check=True, encoding="utf-8")
    assert len(words) > 1000 and json.loads(done.stdout) == [searching.stem(each) for each in words]


# --- notebooks

class Known:
    """Stands in for what the book knows of labels."""

    def section(self, label):
        return {"here": ("Why √d", True), "there": ("Masks", False)}[label]

    def equation(self, label):
        return {"eq-a": "1.2"}[label]

    def numbered(self, label):
        return {"fig-a": "Figur 1.3"}[label]

    def page(self, name):
        return {"02-masks": "Masks"}[name]

    def citation(self, role, key):
        text = {"a": "Vaswani m.fl.", "b": "Shazeer"}[key]
        return (f"{text} (2017)" if role == "cite:t" else f"{text}, 2017"), f"https://example.org/{key}"

    def bibliography(self):
        return ["Vaswani. *Attention*."]

    def admonition(self, kind):
        return {"note": "Anmärkning"}[kind]


def convert(text: str, folder: Path = BOOK) -> str:
    return "\n\n".join(source for source, _ in markdown.Converter(Known(), folder).cells(text))


@pytest.mark.parametrize(("myst", "plain"), [
    ("(here)=\n## Title", "## Title"),
    ("see {eq}`eq-a`", "see (1.2)"),
    ("see {ref}`here`", "see [Why √d](#Why-%E2%88%9Ad)"),
    ("see {ref}`the masks <there>`", "see the masks"),
    ("see [](#there) and [why](#here)", "see Masks and [why](#Why-%E2%88%9Ad)"),
    ("see {numref}`fig-a`, {numref}`bild %s <fig-a>`", "see Figur 1.3, bild 1.3"),
    ("see {doc}`02-masks` and [them](02-masks.md)", "see Masks and them"),
    ("{cite:t}`a` did", "[Vaswani m.fl. (2017)](https://example.org/a) did"),
    ("done {cite}`a,b`", "done ([Vaswani m.fl., 2017](https://example.org/a); [Shazeer, 2017](https://example.org/b))"),
    ("{math}`x^2`, {kbd}`Esc`, {abbr}`MHA (multi-head attention)`", "$x^2$, <kbd>Esc</kbd>, MHA"),
    ("`{eq}` and `[x](#y)` stay, $a_{eq}$ too", "`{eq}` and `[x](#y)` stay, $a_{eq}$ too"),
    ("a [link](https://example.org/x_(y))", "a [link](https://example.org/x_(y))"),
    ("$$\nx\n$$ (eq-a)", "$$\nx\n\\tag{1.2} $$"),
    ("$$ x $$ (eq-a)", "$$ x \\tag{1.2} $$"),
    ("$$\nx\n$$", "$$\nx\n$$"),
    ("```{math}\n:label: eq-a\nx\n```", "$$\nx \\tag{1.2}\n$$"),
    ("```{note}\nOne {eq}`eq-a`\n\ntwo\n```", "> **Anmärkning**\n>\n> One (1.2)\n>\n> two"),
    ("```{admonition} Which $d$?\n:class: tip\nThe inner.\n```", "> **Which $d$?**\n>\n> The inner."),
    (":::{admonition} Answer\n:class: dropdown\nYes.\n:::", "<details>\n<summary>Answer</summary>\n\nYes.\n\n</details>"),
    ("```{dropdown} Answer to `1`\n- **A** {eq}`eq-a`\n```",
     "<details>\n<summary>Answer to <code>1</code></summary>\n\n- **A** (1.2)\n\n</details>"),
    ("::::{note}\n:::{admonition} Inner\n```python\nx = {eq}\n```\n:::\n::::",
     "> **Anmärkning**\n>\n> > **Inner**\n> >\n> > ```python\n> > x = {eq}\n> > ```"),
    ("1. one\n\n   ```{code-block} python\n   x = 1\n   ```\n2. two", "1. one\n\n   ```python\n   x = 1\n   ```\n2. two"),
    ("```python\n(here)=\n{eq}`eq-a`\n```", "```python\n(here)=\n{eq}`eq-a`\n```"),
    ("% comment\n<!-- more\nlines -->\ntext", "text"),
    ("a[^1]\n\n[^1]: note", "a<sup>1</sup>\n\n<sup>1</sup> note"),
    ("```{table} Sizes\n| a | b |\n|---|---|\n| 1 | 2 |\n```", "Sizes\n\n| a | b |\n|---|---|\n| 1 | 2 |"),
    ("```{list-table}\n:header-rows: 1\n* - a\n  - b\n* - 1\n  - {eq}`eq-a`\n```", "| a | b |\n| --- | --- |\n| 1 | (1.2) |"),
    ("```{bibliography}\n:filter: docname in docnames\n```", "- Vaswani. *Attention*."),
])
def test_markdown_of_a_notebook(myst, plain):
    assert convert(myst) == plain


@pytest.mark.parametrize(("myst", "named"), [
    ("{eq}`eq-b`", "eq-b"),
    ("{strange}`x`", "strange"),
    ("```{strange}\nx\n```", "strange"),
    ("![x](missing.png)", "missing.png"),
    ("$$ x", "closing"),
    ("[x](files/data.csv)", "data.csv"),
])
def test_markup_that_cannot_be_shown_is_refused(myst, named):
    with pytest.raises(markdown.ConversionError, match=named):
        convert(myst)


def test_notebook_of_a_chapter(tmp_path):
    (tmp_path / "p.png").write_bytes(b"\x89PNG")
    text = HEAD + """(here)=
# Title

Opening.

## Part

```{figure} p.png
:name: fig-a
:alt: a picture
The caption.
```

```{code-cell} ipython3
:tags: [hide-input]

x = 1
```

```{code-cell} ipython3
---
mystnb:
  figure: {name: fig-a, caption: "Drawn."}
---
x
```
"""
    book = notebooks.to_notebook(text, Known(), tmp_path)
    nbformat.validate(nbformat.from_dict(book))
    kinds = [(each["cell_type"], each["source"]) for each in book["cells"]]
    assert kinds == [
        ("markdown", "# Title\n\nOpening."),
        ("markdown", "## Part\n\n![a picture](attachment:p.png)\n\n**Figur 1.3.** The caption."),
        ("code", "x = 1"),
        ("code", "x"),
        ("markdown", "**Figur 1.3.** Drawn."),
    ]
    assert list(book["cells"][1]["attachments"]["p.png"]) == ["image/png"]
    assert book["cells"][2]["metadata"] == {"tags": ["hide-input"], "jupyter": {"source_hidden": True}}
    assert notebooks.dump(book) == notebooks.dump(notebooks.to_notebook(text, Known(), tmp_path))
