"""Reads the translations as a proofreader would: typography, English left behind, the glossary, glyphs in figures, lines of code that are
too wide.

    python -m book.tools.proofread [LANGUAGE] [NAME…]     everything, or one language, or those of its files whose names contain NAME

What translations have to have in common with their English, `python -m book.tools.translations` compares.
"""

import argparse
import sys

from book.tools import glyphs, leaks, lint, terms, typography
from book.tools.languages import SOURCE
from book.tools.paths import ROOT
from book.tools.translations import FOLDERS, README, TRANSLATIONS


def of_file(language, path):
    """The faults of a translated page or exercise, a list of sentences."""
    name = path.relative_to(ROOT).as_posix()
    text, english = (each.read_text(encoding="utf-8") for each in (path, path.parent.parent / SOURCE / path.name))
    return of_text(language, name, text, english)


def of_text(language, name, text, english):
    """The same, of a text and its English."""
    found = [*typography.of_page(language, name, text, english), *leaks.of_page(language, name, text, english),
             *terms.of_page(language, name, text, english), *glyphs.of_page(name, text)]
    return [str(fault) for fault in found] + (lint.long_lines(name, text) if name.startswith("book/") else [])


def of_messages(language):
    """The faults of what students are told, a list of sentences."""
    from autograder import catalogue

    found, name = [], catalogue.po(language).relative_to(ROOT).as_posix()
    for entry in catalogue.read(language):
        english, strings = (list(each) if isinstance(each, (tuple, list)) else [each] for each in (entry.id, entry.string))
        for text in filter(None, strings if entry.id else []):
            faults = [*typography.of_message(language, name, text, english[0]), *leaks.of_message(language, name, text),
                      *terms.of_message(language, name, text)]
            found += [f"{name}, {text[:50]!r}: {fault.what}: “{fault.excerpt}”" for fault in faults]
    return found


def of_language(language, names=()):
    """The faults of a language, a list of sentences."""
    files = [path for folder in FOLDERS for path in sorted((ROOT / folder / language).glob("*.md")) if path.name != README]
    chosen = [path for path in files if not names or any(name in path.as_posix() for name in names)]
    return [fault for path in chosen for fault in of_file(language, path)] + ([] if names else of_messages(language))


def main(arguments=None):
    """The command; returns 1 where something is to be mended."""
    options = argparse.ArgumentParser(
        prog="python -m book.tools.proofread", description="Read the translations as a proofreader would: typography, English left behind, "
        "the glossary, glyphs in figures, lines of code that are too wide. Each fault is a line that says where it is and what it is.")
    options.add_argument("language", nargs="?", metavar="LANGUAGE", help=f"one of {', '.join(TRANSLATIONS)}; default: all")
    options.add_argument("names", nargs="*", metavar="NAME", help="of its files, read those whose names contain NAME, as 05-kv-cache")
    chosen = options.parse_args(arguments)
    language, names = chosen.language, chosen.names
    if language is not None and language not in TRANSLATIONS:
        print(f"{language} is none of {', '.join(TRANSLATIONS)}", file=sys.stderr)
        return 2
    found = [fault for each in ([language] if language else TRANSLATIONS) for fault in of_language(each, names)]
    print(*found or ["All is well."], sep="\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
