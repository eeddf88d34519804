"""How long the book takes: python -m benchmarks.book [--dry]

In a copy of the repository, from clean: one language, then all of them; then a rebuild after one word was changed in one page. Each build is
the command that readers run, in a process of its own. The first two execute every cell anew, the last must execute none: it leaves the cache of
what was executed as it was. --dry builds two small pages to see that all works; its figures mean nothing and are not kept.
"""

import argparse
import hashlib
import os
import shutil
import sys
import tempfile
from pathlib import Path

import yaml

from benchmarks.common import keep, seconds
from book.tools.languages import CODES, SOURCE
from book.tools.paths import ROOT

PAGE = "06-gqa"
SMALL = """---
jupytext:
  text_representation: {extension: .md, format_name: myst}
kernelspec: {display_name: Python 3, name: python3}
---

# A page

With a line of prose and $x^2$.

```{code-cell} ipython3
print("a line")
```
"""
LEFT_OUT = shutil.ignore_patterns(".git", ".venv", "_build", "exercises", "tests", "node_modules", "__pycache__")
MOST = 1.6  # times one language, for all of them
LONGEST = 15  # seconds, after an edit


def build(folder: Path, *arguments: str) -> float:
    """The seconds of a build in that copy of the repository."""
    environment = os.environ | {"PYTHONPATH": str(folder)}
    return seconds([sys.executable, "-m", "book.tools.build", *arguments], cwd=folder, env=environment)


def shorten(folder: Path) -> str:
    """Puts two small pages in the place of the book's, in the copy; returns the one to edit."""
    contents = {"format": "jb-book", "root": "first", "chapters": [{"file": "second"}]}
    (folder / "_toc.yml").write_text(yaml.safe_dump(contents), encoding="utf-8")
    for code in CODES:
        shutil.rmtree(folder / "book" / code)
        (folder / "book" / code).mkdir()
        for name in ("first", "second"):
            (folder / "book" / code / f"{name}.md").write_text(SMALL, encoding="utf-8")
    (folder / "book" / "references.bib").unlink()
    return "second"


def edit(page: Path) -> None:
    """Adds a sentence below the page's title."""
    lines = page.read_text(encoding="utf-8").split("\n")
    title = next(number for number, line in enumerate(lines) if line.startswith("# "))
    lines[title + 1 : title + 1] = ["", "One more sentence."]
    page.write_text("\n".join(lines), encoding="utf-8")


def executed(folder: Path) -> str:
    """A mark of all notebooks that have been executed; their results have names that change when they are made again."""
    names = sorted(str(path.relative_to(folder)) for path in (folder / "_build" / ".jupyter_cache" / "executed").rglob("*"))
    times = [path.stat().st_mtime_ns for path in sorted((folder / "_build" / ".jupyter_cache" / "executed").rglob("*.ipynb"))]
    return hashlib.sha256(f"{names} {times}".encode()).hexdigest()


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.book", description="Measure how long the book takes.")
    parser.add_argument("--dry", action="store_true", help="two small pages, to see that all works")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as parent:
        folder = Path(parent) / "course"
        shutil.copytree(ROOT, folder, ignore=LEFT_OUT)
        page = shorten(folder) if options.dry else PAGE
        one = build(folder, "--language", SOURCE)
        shutil.rmtree(folder / "_build")
        every = build(folder)
        nothing = build(folder)
        before = executed(folder)
        edit(folder / "book" / SOURCE / f"{page}.md")
        edited = build(folder)
        figures = {
            "one language from clean, s": round(one, 1),
            f"{len(CODES)} languages from clean, s": round(every, 1),
            f"{len(CODES)} languages, times one": round(every / one, 2),
            f"that is at most {MOST}": every / one <= MOST,
            "after an edit in one page, s": round(edited, 1),
            "after an edit, times one language from clean": round(edited / one, 2),
            f"that is at most {LONGEST} s": edited <= LONGEST,
            "executed after the edit": "nothing" if executed(folder) == before else "something",
            "with nothing changed, s": round(nothing, 1),
        }
    if options.dry:
        print(figures)
    else:
        keep("book", figures)


if __name__ == "__main__":
    main()
