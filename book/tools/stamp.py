"""Tells whether a language's pages are up to date, from a hash of everything that they are made of."""

import hashlib
import json
from pathlib import Path

from book.tools import originals, runtime
from book.tools.ext import launch
from book.tools.languages import LANGUAGES, SOURCE, Language
from book.tools.paths import BOOK, BUILD, CONFIG, LOCALE, REFERENCES, ROOT, STATIC, TEMPLATES, TOC, TOOLS

# Beside each language's own pages: a change in these may change every page.
COMMON = [CONFIG, TOC, REFERENCES, TOOLS, STATIC, TEMPLATES]


def files_below(path: Path) -> list[Path]:
    """The files that a path stands for, in order; compiled Python and checkpoints left out."""
    if path.is_file():
        return [path]
    return sorted(each for each in path.rglob("*") if each.is_file() and each.suffix != ".pyc" and ".ipynb_checkpoints" not in each.parts)


def dependencies(language: Language) -> list[Path]:
    """Files elsewhere that the language's pages included when they were last built."""
    record = BUILD / language.code / "dependencies.json"
    return [ROOT / name for name in json.loads(record.read_text(encoding="utf-8"))] if record.exists() else []


def compute(language: Language, base_url: str = "") -> str:
    """The hash of everything that the language's pages are made of.

    The switcher shows which pages others have, so their names count; links lead to English pages that the language lacks, so these count
    too.
    """
    digest = hashlib.sha256()
    digest.update(f"{language} {base_url} {launch.repository()} {runtime.fingerprint()}".encode())
    for each in LANGUAGES:
        digest.update(f"{each.code}: {sorted(page.name for page in (BOOK / each.code).glob('*.md'))}".encode())
    elsewhere = [BOOK / SOURCE / f"{name}.md" for name in originals.missing(language.code)]
    for path in [BOOK / language.code, *(each for each in elsewhere if each.is_file()), LOCALE / f"{language.code}.po", *COMMON,
                 *dependencies(language)]:
        for file in files_below(path):
            digest.update(f"{file.relative_to(ROOT)} {file.stat().st_size}\n".encode())
            digest.update(file.read_bytes())
    return digest.hexdigest()


def mark(language: Language) -> Path:
    """Where the hash of the last successful build is kept."""
    return BUILD / language.code / "stamp"


def is_current(language: Language, base_url: str = "") -> bool:
    """Whether the language's pages were built from exactly what is there now."""
    path = mark(language)
    return path.is_file() and path.read_text(encoding="utf-8") == compute(language, base_url)


def write(language: Language, base_url: str = "") -> None:
    """Notes that the language's pages have been built from what is there now."""
    mark(language).write_text(compute(language, base_url), encoding="utf-8")
