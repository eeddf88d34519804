"""Tells whether a language's pages are up to date, and which are not, from hashes of everything that they are made of."""

import hashlib
import json
from pathlib import Path

from book.tools import originals, runtime, translations
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


def hash_of(paths: list[Path], *words: str) -> str:
    """One hash of words, and of the names and contents of files."""
    digest = hashlib.sha256("\n".join(words).encode())
    for file in (file for path in paths for file in files_below(path)):
        digest.update(f"{file.relative_to(ROOT)} {file.stat().st_size}\n".encode())
        digest.update(file.read_bytes())
    return digest.hexdigest()


def pages(language: Language) -> dict[str, str]:
    """A hash of each of the language's pages, by its name."""
    return {path.stem: hash_of([path]) for path in sorted((BOOK / language.code).glob("*.md"))}


def included(language: Language) -> dict[str, str]:
    """A hash of each file elsewhere that the language's pages included, by its path."""
    return {path.relative_to(ROOT).as_posix(): hash_of([path]) for path in dependencies(language)}


def surroundings(language: Language, base_url: str = "") -> str:
    """The hash of everything that the language's pages are made of beside their own files and what these include.

    The switcher shows which pages others have, so their names count; links lead to English pages that the language lacks, so these count
    too.
    """
    names = [f"{each.code}: {sorted(page.name for page in (BOOK / each.code).glob('*.md'))}" for each in LANGUAGES]
    elsewhere = [BOOK / SOURCE / f"{name}.md" for name in originals.missing(language.code)]
    beside = [path for path in files_below(BOOK / language.code) if path.suffix != ".md" and path.name != translations.RECORD]
    paths = [*beside, *(each for each in elsewhere if each.is_file()), LOCALE / f"{language.code}.po", *COMMON]
    return hash_of(paths, f"{language} {base_url} {launch.repository()} {runtime.fingerprint()}", *names)


def state(language: Language, base_url: str = "") -> dict:
    """Hashes of everything that the language is made of. What a page includes is known once it has been built."""
    return {"surroundings": surroundings(language, base_url), "included": included(language), "pages": pages(language)}


def mark(language: Language) -> Path:
    """Where the hashes of the last successful build are kept."""
    return BUILD / language.code / "stamp.json"


def changed(language: Language, base_url: str = "") -> list[str] | None:
    """The pages that are no longer what they were when the language was built; None where more has changed, or nothing has been built."""
    path = mark(language)
    last = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    now = state(language, base_url)
    if last.keys() != now.keys() or last["pages"].keys() != now["pages"].keys():
        return None
    if any(last[part] != now[part] for part in ("surroundings", "included")):
        return None
    return [name for name, its_hash in now["pages"].items() if its_hash != last["pages"][name]]


def write(language: Language, before: dict, base_url: str = "") -> bool:
    """Notes what the language's pages have been built from: `before`, what `state` gave before the build.

    A page that was edited meanwhile counts as changed. Where something else was, nothing is noted, for who knows which pages were built
    with it; the answer is then False.
    """
    after = state(language, base_url)
    known = before["included"].keys() & after["included"].keys()
    if after["surroundings"] != before["surroundings"] or any(after["included"][name] != before["included"][name] for name in known):
        mark(language).unlink(missing_ok=True)
        return False
    mark(language).write_text(json.dumps(before | {"included": after["included"]}, indent=1) + "\n", encoding="utf-8")
    return True
