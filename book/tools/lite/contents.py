"""What can be opened in the browser: the chapters whose code needs no more than NumPy and Matplotlib, and the first exercise."""

import ast
import json
import shutil
from dataclasses import dataclass
from pathlib import Path

from book.tools import toc
from book.tools.languages import SOURCE
from book.tools.paths import FONTS, ROOT

THERE = {"numpy", "matplotlib"}  # in Pyodide; PyTorch and Triton are not
STANDARD = {"dataclasses", "math", "textwrap", "time"}  # of Python's own, and works in a browser
EXERCISE = "single-head"
EXERCISES = ROOT / "exercises"
FONT = "NotoSansSC-Subset.otf"
FONT_CELL = f"""\
from matplotlib import font_manager

font_manager.fontManager.addfont("{FONT}")"""
MOMENT = "2026-01-01T00:00:00Z"  # of every file: the browser shows it nowhere, and the same files give the same list
MIMETYPES = {".ipynb": "application/x-ipynb+json", ".py": "text/x-python", ".json": "application/json"}


@dataclass(frozen=True)
class Entry:
    """A notebook that can be opened: its title, and its path among the language's files."""

    title: str
    path: str

    @property
    def exercise(self) -> bool:
        """Whether it is an exercise, and no chapter."""
        return self.path.startswith(f"{EXERCISE}/")


def cells(notebook: dict) -> list[str]:
    """The code of a notebook, without IPython's own commands."""
    sources = ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]  # a text, or its lines
    return ["\n".join("" if line.lstrip().startswith(("%", "!")) else line for line in source.split("\n")) for source in sources]


def imported(notebook: dict) -> set[str]:
    """The packages that a notebook imports."""
    found = set()
    for node in (node for source in cells(notebook) for node in ast.walk(ast.parse(source))):
        if isinstance(node, ast.Import):
            found |= {each.name.partition(".")[0] for each in node.names}
        elif isinstance(node, ast.ImportFrom):
            found.add(node.module.partition(".")[0])
    return found


def runs_in_browser(notebook: dict) -> bool:
    """Whether there is code in the notebook, and all that it imports is there in a browser."""
    return bool(cells(notebook)) and imported(notebook) <= THERE | STANDARD


def title(notebook: dict) -> str:
    """The first line of a notebook: its heading."""
    return "".join(notebook["cells"][0]["source"]).split("\n")[0].lstrip("# ")


def with_font(notebook: dict) -> dict:
    """The notebook with a first cell that gives figures the font of Chinese: in a browser there are no fonts but Matplotlib's own."""
    cell = {"cell_type": "code", "execution_count": None, "id": "font", "metadata": {"jupyter": {"source_hidden": True}}, "outputs": [],
            "source": FONT_CELL}
    return notebook | {"cells": [cell, *notebook["cells"]]}


def exercise(code: str) -> Path:
    """The folder of the exercise in that language, or in English."""
    folder = EXERCISES / code / EXERCISE
    return folder if folder.is_dir() else EXERCISES / SOURCE / EXERCISE


def write(code: str, notebooks: Path, folder: Path) -> list[Entry]:
    """Lays the language's notebooks into a folder. Returns those of the exercise and the chapters, in this order."""
    shutil.copytree(exercise(code), folder / EXERCISE, ignore=shutil.ignore_patterns("__pycache__", ".ipynb_checkpoints"))
    path = f"{EXERCISE}/{EXERCISE}.ipynb"
    entries = [Entry(title(json.loads((folder / path).read_text(encoding="utf-8"))), path)]
    for name in toc.chapters():
        source = notebooks / f"{name}.ipynb"
        if not source.is_file() or not runs_in_browser(notebook := json.loads(source.read_text(encoding="utf-8"))):
            continue
        entries.append(Entry(title(notebook), source.name))
        if code == "zh-CN":
            shutil.copy(FONTS / FONT, folder)
            notebook = with_font(notebook)
        (folder / source.name).write_text(json.dumps(notebook, ensure_ascii=False), encoding="utf-8")
    return entries


def described(path: Path, root: Path) -> dict:
    """A file or folder as JupyterLite's lists have it."""
    kind = "directory" if path.is_dir() else "notebook" if path.suffix == ".ipynb" else "file"
    text = path.suffix in MIMETYPES
    return {
        "name": path.name, "path": path.relative_to(root).as_posix(), "type": kind, "writable": True, "content": None,
        "created": MOMENT, "last_modified": MOMENT,
        "format": None if kind == "directory" else "json" if kind == "notebook" else "text" if text else "base64",
        "mimetype": None if kind == "directory" else MIMETYPES.get(path.suffix, "application/octet-stream"),
        "size": None if kind == "directory" else path.stat().st_size,
    }


def index(files: Path, lists: Path) -> None:
    """Writes the list of each folder below `files`: a browser cannot ask a server of static files what there is."""
    for folder in [files, *(each for each in sorted(files.rglob("*")) if each.is_dir())]:
        listed = {"name": folder.name if folder != files else "", "path": folder.relative_to(files).as_posix() if folder != files else "",
                  "type": "directory", "writable": True, "created": MOMENT, "last_modified": MOMENT, "format": "json", "mimetype": None,
                  "size": None, "content": [described(each, files) for each in sorted(folder.iterdir())]}
        target = lists / folder.relative_to(files) / "all.json"
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(json.dumps(listed, ensure_ascii=False), encoding="utf-8")
