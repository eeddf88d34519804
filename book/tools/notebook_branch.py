"""Lays out the branch that Colab and Binder open: the notebooks of the built site, a folder a language, and what Binder installs for them.

    python -m book.tools.notebook_branch FOLDER
"""

import argparse
import re
import shutil
import sys
from pathlib import Path

from book.tools.languages import LANGUAGES
from book.tools.lite import contents
from book.tools.paths import ROOT, SITE

NEEDED = ("ipykernel", "matplotlib", "numpy", "torch")  # by the chapters; JupyterLab is Binder's own
PYTHON = "python-3.11\n"  # Binder would take an older one than NumPy does
FONTS = "fonts-noto-cjk\n"  # for the Chinese words in figures


def requirements() -> str:
    """The lines of the course's requirements that the chapters need, in the same versions."""
    lines = (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines()
    found = [line for line in lines if re.split(r"[=; ]", line)[0] in NEEDED]
    return "\n".join([*found, ""])


def write(site: Path, folder: Path) -> None:
    """Fills an empty or new folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for language in LANGUAGES:
        if (site / language.code / "notebooks").is_dir():
            shutil.copytree(site / language.code / "notebooks", folder / language.code)
            ignored = shutil.ignore_patterns("__pycache__", ".ipynb_checkpoints")
            shutil.copytree(contents.exercise(language.code), folder / language.code / contents.EXERCISE, ignore=ignored)
    for name, text in (("requirements.txt", requirements()), ("runtime.txt", PYTHON), ("apt.txt", FONTS)):
        (folder / name).write_text(text, encoding="utf-8")


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m book.tools.notebook_branch", description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="an empty folder, or one that is not there yet")
    options = parser.parse_args()
    if not (SITE / "index.html").is_file():
        print("There is no site yet: run `make book` first.", file=sys.stderr)
        return 1
    write(SITE, options.folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
