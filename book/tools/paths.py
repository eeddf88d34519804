"""Where things stand in the repository."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BOOK = ROOT / "book"
TOOLS = BOOK / "tools"
FONTS = BOOK / "_fonts"
STATIC = BOOK / "_static"
TEMPLATES = BOOK / "_templates"
LOCALE = BOOK / "_locale"
REFERENCES = BOOK / "references.bib"
CONFIG = ROOT / "_config.yml"
TOC = ROOT / "_toc.yml"
BUILD = ROOT / "_build"
SITE = BUILD / "site"
README = "README.md"  # in a language's folder: tells of the project in that language, and is no page
