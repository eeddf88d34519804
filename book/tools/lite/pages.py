"""The page `try/` of a language: its list of notebooks, and JupyterLite in that language.

JupyterLite's scripts lie once in the site, in `try/` at its top. What a language has of its own is small: the page that JupyterLite starts
from, its settings, its files, the words of its menus, the service worker, which hands files only to what lies below itself, and so the
kernel, to which it is to hand them.
"""

import html
import json
import shutil
from pathlib import Path
from string import Template
from urllib.parse import quote

from book.tools import sphinx_build
from book.tools.languages import Language
from book.tools.lite import application, contents, pyodide
from book.tools.paths import BUILD, TEMPLATES

SHARED = "../../try"  # of a language's page
LOCALES = {"zh-CN": "zh_CN", "ru": "ru_RU"}  # of JupyterLab's menus; there is no Swedish, so these are English
CONFIG = "jupyter-lite.json"
# The service worker hands the exercise's files to Python. JupyterLite registers it and does not wait, so that Python may start before it
# and find no files. So the page does both first, under the same name, and notes the version, lest JupyterLite take it for an old one.
# A page that was loaded anew past all caches (Shift and Reload) is under no worker's control and stays so. A worker that is active already
# hands files to Python all the same, and is not waited for.
# The language that the page says it is in stays that of the notebook.
WORKER = """\
const root = document.documentElement, language = root.lang;
        const observer = new MutationObserver(() => {
          if (root.lang !== language) root.lang = language; // JupyterLab would set that of its menus
        });
        observer.observe(root, { attributes: true, attributeFilter: ["lang"] });
        const workers = navigator.serviceWorker;
        if (workers && !workers.controller) {
          const script = new URL("../service-worker.js?enableCache=false", window.location.href).href;
          const controlled = new Promise((done) => {
            workers.addEventListener("controllerchange", done, { once: true });
            setTimeout(done, 10000);
          });
          try {
            localStorage.setItem(`${script}-version`, "VERSION");
            const { active } = await workers.register(script);
            if (active?.state !== "activated") await controlled; // it takes control before it says that it is active
          } catch (error) {
            console.warn(error);
          }
        }
        """
AWAY = """\
<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><title>Jupyter</title><meta http-equiv="refresh" content="0; url=../index.html"></head>
</html>
"""
EMPTY_NOTEBOOK = {"cells": [], "metadata": {"jupyter-lite": {}}, "nbformat": 4, "nbformat_minor": 5}


def changed(text: str, changes: dict[str, str]) -> str:
    """The text with each of the pieces replaced; a KeyError names one that is not there."""
    for old, new in changes.items():
        if old not in text:
            raise KeyError(f"JupyterLite's page no longer has {old!r}")
        text = text.replace(old, new)
    return text


def start_page(app: Path, language: Language, _) -> str:
    """The page that a notebook opens in: JupyterLite's own, in this language and with the scripts of all languages."""
    text = (app / "notebooks" / "index.html").read_text(encoding="utf-8")
    manifest = next(line for line in text.splitlines() if 'rel="manifest"' in line)
    version = json.loads((app / CONFIG).read_text(encoding="utf-8"))["jupyter-config-data"]["appVersion"]
    return changed(text, {
        "<html>": f'<html lang="{language.code}">',
        "<title>Jupyter Notebook - Notebooks</title>": f"<title>{html.escape(language.title)}</title>",
        "WASM powered Jupyter running in the browser.": html.escape(_("Notebooks that run in your browser. Nothing has to be installed.")),
        manifest: '    <link rel="icon" href="../../../favicon.svg" type="image/svg+xml" />',
        '"../build/': f'"../{SHARED}/build/',
        "await import(": WORKER.replace("VERSION", version) + "await import(",
        "'../config-utils.js": f"'../{SHARED}/config-utils.js",
        "Loading JupyterLite...": html.escape(_("Loading …")),
        "JupyterLite requires JavaScript to be enabled in your browser.": html.escape(
            _("Running notebooks takes JavaScript. Without it you can read the book.")),
    })


def settings(app: Path, language: Language, address: str) -> dict:
    """JupyterLite's settings for a language; `address` is where Pyodide lies."""
    made = json.loads((app / CONFIG).read_text(encoding="utf-8"))
    data = made["jupyter-config-data"]
    kernel = data["litePluginSettings"][f"{application.KERNEL}:kernel"]
    kernel |= {"pyodideUrl": address, "disablePyPIFallback": True,
               "loadPyodideOptions": {"packages": ["numpy", "matplotlib"]}}  # check() draws with Matplotlib, and no cell says so
    data |= {
        "appName": language.title, "appUrl": "./notebooks", "faviconUrl": "./../../favicon.svg",
        "fullLabextensionsUrl": "./extensions", "fullStaticUrl": f"./{SHARED}/build",
        "settingsOverrides": {"@jupyterlab/translation-extension:plugin": {"locale": LOCALES.get(language.code, "en")},
                              "@jupyterlab/notebook-extension:tracker": {"windowingMode": "none"},  # all cells at once, for search in the page
                              "@jupyterlab/apputils-extension:themes": {"adaptive-theme": True}},
    }
    return made


def notebook_settings() -> dict:
    """What the page of a notebook adds: there JupyterLite looks for its scripts and for the settings of its parts."""
    shared = f"../{SHARED}/build"
    data = {"appUrl": "/notebooks", "notebookPage": "notebooks", "faviconUrl": "./../../../favicon.svg", "fullStaticUrl": shared,
            "settingsUrl": f"{shared}/schemas", "themesUrl": f"{SHARED}/build/themes"}
    return {"jupyter-lite-schema-version": 0, "jupyter-config-data": data}


def list_page(language: Language, built: list[Language], entries: list[contents.Entry], first: str, _) -> str:
    """The page `try/`: what there is to open, and what a reader has to know."""
    items = "\n".join(
        f'      <li><a href="notebooks/index.html?path={quote(each.path)}"{" data-exercise" if each.exercise else ""}>{html.escape(each.title)}</a></li>'
        for each in entries
    )
    others = "\n".join(
        f'      <a href="../../{each.code}/try/index.html" lang="{each.code}" hreflang="{each.code}">{html.escape(each.name)}</a>'
        for each in built if each != language
    )
    notes = [
        _("Python starts in your browser: wait until it is ready, then run the cells from the top with Shift and Enter. "
          "The first time it loads about 30 MB."),
        _("What you write is kept in this browser, on this computer, and is sent nowhere. "
          "To hand in a notebook, download it: File → Download."),
        _("Chapters that need PyTorch or a GPU are not here. Download them, and run them on your own computer."),
    ]
    words = {
        "code": language.code, "book": language.title, "title": _("Try it in the browser"), "back": _("Back to the book"),
        "description": _("Notebooks that run in your browser. Nothing has to be installed."), "languages": _("Language"),
    }
    return Template((TEMPLATES / "try.html").read_text(encoding="utf-8")).substitute(
        {name: html.escape(str(text)) for name, text in words.items()}, items=items, others=others, first=first,
        notes="\n".join(f"    <p>{html.escape(str(each))}</p>" for each in notes))


def write_json(path: Path, data: dict) -> None:
    """Writes a file of JSON, and the folder it lies in."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(data, ensure_ascii=False, indent=1), encoding="utf-8")


def translations(app: Path, folder: Path, language: Language) -> None:
    """The words of JupyterLab's menus: those of the language alone."""
    source, locale = app / "api" / "translations", LOCALES.get(language.code, "en")
    listed = json.loads((source / "all.json").read_text(encoding="utf-8"))
    listed["data"] = {name: each for name, each in listed["data"].items() if name in {"en", locale}}
    write_json(folder / "all.json", listed)
    for name in listed["data"]:
        shutil.copy(source / f"{name}.json", folder)


def write(app: Path, site: Path, language: Language, built: list[Language], choice: str, first: str) -> None:
    """Writes the language's page and all that lies below it into the site."""
    folder = site / language.code / "try"
    _ = sphinx_build.translator(language, BUILD / language.code / "locale")
    files = folder / "files"
    files.mkdir(parents=True)
    entries = contents.write(language.code, site / language.code / "notebooks", files)
    contents.index(files, folder / "api" / "contents")
    translations(app, folder / "api" / "translations", language)
    (folder / "index.html").write_text(list_page(language, built, entries, first, _), encoding="utf-8")
    address = pyodide.CDN if choice == "cdn" else f"./{SHARED}/pyodide/pyodide.js"
    write_json(folder / CONFIG, settings(app, language, address))
    write_json(folder / "notebooks" / CONFIG, notebook_settings())
    for each in (folder, folder / "notebooks"):  # JupyterLite asks for it, and would complain
        write_json(each / "jupyter-lite.ipynb", EMPTY_NOTEBOOK)
    (folder / "notebooks" / "index.html").write_text(start_page(app, language, _), encoding="utf-8")
    shutil.copy(app / "service-worker.js", folder)
    for name in ("extensions", "pypi", "static"):
        shutil.copytree(app / name, folder / name)
    (folder / "tree").mkdir()  # where Jupyter's own links to the list of files lead
    (folder / "tree" / "index.html").write_text(AWAY, encoding="utf-8")
