"""The table of contents: `_toc.yml`, one for all languages, and what a language that lacks pages takes of it."""

from pathlib import Path

import yaml

from book.tools.paths import BOOK, README, TOC

INNER = ("parts", "subtrees", "chapters", "sections", "entries")


def load() -> dict:
    """`_toc.yml` as it stands."""
    return yaml.safe_load(TOC.read_text(encoding="utf-8"))


def chapters() -> list[str]:
    """The names of all pages, in order, without ending."""
    found = []

    def walk(node) -> None:
        if isinstance(node, list):
            for each in node:
                walk(each)
        elif isinstance(node, dict):
            found.extend(value for key, value in node.items() if key in {"root", "file"})
            for key in INNER:
                walk(node.get(key))

    walk(load())
    return found


def unlisted(code: str) -> list[str]:
    """The names of a language's pages that the table of contents does not list: no site would have them."""
    there = {path.stem for path in (BOOK / code).glob("*.md") if path.name != README}
    return sorted(there - set(chapters()))


def numbers() -> dict[str, int]:
    """{page: its chapter number}, counted through the numbered parts; the same in a language that lacks some of them."""
    counted = [chapter["file"] for part in load().get("parts", []) if part.get("numbered") for chapter in part["chapters"]]
    return {name: number for number, name in enumerate(counted, 1)}


def without(missing: set[str], node=None):
    """The table of contents without these pages, and without parts that hold no other."""
    node = load() if node is None else node
    if isinstance(node, list):
        kept = [without(missing, each) for each in node]
        return [each for each in kept if each is not None]
    if not isinstance(node, dict):
        return node
    if node.get("file") in missing:
        return None
    kept = {key: without(missing, value) if key in INNER else value for key, value in node.items()}
    if any(key in kept and not kept[key] for key in INNER):
        return {key: value for key, value in kept.items() if key not in INNER} if "file" in kept or "root" in kept else None
    return kept


def write(path: Path, missing: set[str]) -> Path:
    """Writes the table of contents without these pages to a file; returns the file, or `_toc.yml` where none is missing."""
    if not missing:
        return TOC
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(yaml.safe_dump(without(missing), allow_unicode=True, sort_keys=False), encoding="utf-8")
    return path
