"""The glossary in all languages, `book/glossary.csv`, as a list in the alphabetical order of one of them, and what its terms mean.

Each language says in its own words what a term is, in `book/definitions/<code>.csv`: the English term, one sentence, and, where the term is
not found in the pages by its own form, a pattern (see `book/tools/ext/explained.py`). What a language has no sentence for is said in
English.
"""

import csv
import unicodedata
from dataclasses import dataclass

from docutils.nodes import make_id

from book.tools.languages import CODES, SOURCE
from book.tools.paths import BOOK

GLOSSARY = BOOK / "glossary.csv"
DEFINITIONS = BOOK / "definitions"


@dataclass(frozen=True)
class Definition:
    """What a term is, in one sentence, and how it is found in pages where that is not plain."""

    text: str
    pattern: str = ""


def terms() -> list[dict]:
    """The rows: a column for each language, and a note. What a language has no word for yet stands there in English."""
    with GLOSSARY.open(encoding="utf-8", newline="") as file:
        return [row | {code: row.get(code) or row[SOURCE] for code in CODES} for row in csv.DictReader(file)]


def definitions(language: str) -> dict[str, Definition]:
    """The definitions that a language has, by English term."""
    path = DEFINITIONS / f"{language}.csv"
    if not path.is_file():
        return {}
    with path.open(encoding="utf-8", newline="") as file:
        return {row["term"]: Definition(row["definition"], row["pattern"] or "") for row in csv.DictReader(file)}


def sentences(language: str) -> dict[str, str]:
    """What each term is, by its English name, in that language as far as it has it."""
    return {name: each.text for name, each in (definitions(SOURCE) | definitions(language)).items()}


def anchor(name: str) -> str:
    """The address of a term in the glossary, the same in all languages."""
    return f"term-{make_id(name)}"


def in_order(language: str) -> list[dict]:
    """The rows in the alphabetical order of a language."""
    return sorted(terms(), key=lambda row: unicodedata.normalize("NFC", row[language]).casefold())


def listed(language: str) -> str:
    """A Markdown list with an item for each term: in that language first, with what it means, then in the others, each marked by its
    code."""
    said = sentences(language)
    return "\n".join(line(row, language, said.get(row[SOURCE], "")) for row in in_order(language))


def line(row: dict, language: str, sentence: str) -> str:
    """One term."""
    others = " · ".join(f"*{code}* {row[code]}" for code in CODES if code != language)
    return f"- **{row[language]}** – {others}" + (f"\n\n  {sentence}\n" if sentence else "")
