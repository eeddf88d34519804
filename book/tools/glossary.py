"""The glossary in all languages, `book/glossary.csv`, as a list in the alphabetical order of one of them."""

import csv
import unicodedata

from book.tools.languages import CODES, SOURCE
from book.tools.paths import BOOK

GLOSSARY = BOOK / "glossary.csv"


def terms() -> list[dict]:
    """The rows: a column for each language, and a note. What a language has no word for yet stands there in English."""
    with GLOSSARY.open(encoding="utf-8", newline="") as file:
        return [row | {code: row.get(code) or row[SOURCE] for code in CODES} for row in csv.DictReader(file)]


def listed(language: str) -> str:
    """A Markdown list with a line for each term: in that language first, then in the others, each marked by its code."""
    rows = sorted(terms(), key=lambda row: unicodedata.normalize("NFC", row[language]).casefold())
    return "\n".join(line(row, language) for row in rows)


def line(row: dict, language: str) -> str:
    """One term."""
    others = " · ".join(f"*{code}* {row[code]}" for code in CODES if code != language)
    return f"- **{row[language]}** – {others}"
