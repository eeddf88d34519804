"""Lays the notebooks that run in the browser into the site."""

import hashlib
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

from book.tools.languages import SOURCE, Language
from book.tools.lite import application, contents, pages, pyodide

SHARED = "try"  # the folder at the site's top with what all languages share
PARTS = ("build", "config-utils.js")  # of the application; the rest each language has of its own, or nobody needs
NAME = "made-from"


def local_copy(choice: str) -> Path | None:
    """The local copy of Pyodide where one is wanted and can be had."""
    if choice != "local":
        return None
    try:
        return pyodide.fetch()
    except pyodide.Unavailable as error:
        print(f"Notebooks in the browser will load Pyodide from its CDN, since no local copy could be had: {error}", file=sys.stderr)
        return None


def possible() -> bool:
    """Whether there is an exercise to try, and what it takes to make these pages; says so where a package is missing."""
    lacking = application.missing()
    if lacking:
        print(f"The notebooks that run in the browser are left out: {', '.join(lacking)} not installed.", file=sys.stderr)
    return not lacking and contents.exercise(SOURCE).is_dir()


def fingerprint(choice: str) -> str:
    """A hash of what the pages are made of beside the book's own pages: the application, the exercise, where Pyodide is to come from."""
    digest = hashlib.sha256(f"{choice} {pyodide.VERSION} {application.fingerprint()}".encode())
    for path in sorted(contents.EXERCISES.glob(f"*/{contents.EXERCISE}/**/*")):
        if path.is_file() and path.suffix != ".pyc" and ".ipynb_checkpoints" not in path.parts:
            digest.update(path.relative_to(contents.EXERCISES).as_posix().encode() + path.read_bytes())
    return digest.hexdigest()


def is_current(site: Path, choice: str) -> bool:
    """Whether the site has these pages as they would be made now, or has to do without them.

    Where no local copy could be had, it is tried again.
    """
    if not possible():
        return True
    mark = site / SHARED / NAME
    made = mark.read_text(encoding="utf-8") if mark.is_file() else None
    return made == fingerprint(choice) or made == fingerprint("cdn") and local_copy(choice) is None


def put(site: Path, built: list[Language], choice: str, first_page: Callable[[Language], str]) -> None:
    """Adds to the site what all languages share, and each language's page, where that is possible."""
    if not possible():
        return
    app, copy = application.build(), local_copy(choice)
    (site / SHARED).mkdir()
    for name in PARTS:
        copied = shutil.copytree if (app / name).is_dir() else shutil.copy
        copied(app / name, site / SHARED / name)
    if copy:
        shutil.copytree(copy, site / SHARED / "pyodide")
    had = "local" if copy else "cdn"
    for language in built:
        pages.write(app, site, language, built, had, first_page(language))
    (site / SHARED / NAME).write_text(fingerprint(had), encoding="utf-8")
