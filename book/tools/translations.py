"""Keeping the translations true: what waits to be translated, and which English a translation was made from.

    python -m book.tools.translations                     what waits, what differs, and what has changed in English since
    python -m book.tools.translations --record sv FILE…   the translation is up to date: remember the English it was made from
    python -m book.tools.translations --wait              what is missing in a language waits: put it on the list book/untranslated.txt
"""

import argparse
import difflib
import json
import sys
from pathlib import Path

from book.tools import untranslated
from book.tools.blocks import parse
from book.tools.compare import differences, excerpt
from book.tools.languages import CODES, SOURCE
from book.tools.paths import README, ROOT
from book.tools.untranslated import FOLDERS

TRANSLATIONS = tuple(code for code in CODES if code != SOURCE)
RECORD = "translated-from.json"


def main(arguments=None):
    """The command; returns 1 where something is to be done."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--record", nargs="+", metavar=("LANGUAGE", "FILE"),
                         help="remember the present English as that of LANGUAGE's files (all, if none is named)")
    options.add_argument("--wait", action="store_true",
                         help=f"put what is missing on the list in {untranslated.LIST}, and take off it what is not")
    chosen = options.parse_args(arguments)
    if chosen.wait:
        wait()
    if chosen.record:
        language, *names = chosen.record
        if language not in TRANSLATIONS:
            options.error(f"{language} is none of {', '.join(TRANSLATIONS)}")
        return record(language, names)
    waiting = untranslated.read()
    if waiting:
        print("Not translated yet, and there in English until then:", *waiting, sep="\n  ")
    to_do = [*untranslated.strays(), *(line for language in TRANSLATIONS for line in status(language))]
    print("\n".join(to_do) if to_do else f"All {'other ' if waiting else ''}translations are up to date.")
    return 1 if to_do else 0


def status(language, root=ROOT):
    """What is to be done in a language, a line each; what is on the list of the untranslated is no fault."""
    return untranslated.problems(language, root=root) + [line for folder in FOLDERS for line in _folder_status(root / folder, language)]


def wait(root=ROOT):
    """Make the list of the untranslated anew: everything that is missing now, and nothing else."""
    untranslated.write([each for folder in FOLDERS for language in TRANSLATIONS for each in untranslated.missing(language, folder, root)],
                       root)


def _folder_status(folder, language):
    lines = []
    english = {path.name: path for path in sorted((folder / SOURCE).glob("*.md"))}
    translated = {path.name: path for path in sorted((folder / language).glob("*.md")) if path.name != README}
    recorded = read_record(folder / language)
    for name in sorted(translated.keys() - english.keys()):
        lines.append(f"{folder.name}/{language}/{name}: there is no English page of that name")
    for name in sorted(english.keys() & translated.keys()):
        where = f"{folder.name}/{language}/{name}"
        source = english[name].read_text(encoding="utf-8")
        lines += [f"{where}: {problem}" for problem in differences(source, translated[name].read_text(encoding="utf-8"))]
        lines += [f"{where}: {change}" for change in changes(source, recorded.get(name))]
    return lines


def changes(english, recorded):
    """What has changed in an English page since a translation was made from it, a sentence for each block."""
    if recorded is None:
        return [f"no record of the English it was made from (see {RECORD})"]
    blocks = parse(english)
    then, now = [line.split(" ", 1)[0] for line in recorded], [block.hash for block in blocks]
    found = []
    for kind, i, j, k, end in difflib.SequenceMatcher(a=then, b=now, autojunk=False).get_opcodes():
        if kind == "equal":
            continue
        found += [f"the English has changed at its line {block.line}: {excerpt(block)}" for block in blocks[k:end]]
        if k == end:
            found += [f"gone from the English: {line.split(' ', 1)[1]}" for line in recorded[i:j]]
    return found


def record(language, names=(), root=ROOT):
    """Remember the present English of a language's files; refuses, and says why, where a file does not agree with it."""
    refused = 0
    known = {path.name for name in FOLDERS for path in (root / name / SOURCE).glob("*.md")}
    for name in names:
        if Path(name).name not in known:
            print(f"{name}: there is no English page of that name; there are: {', '.join(sorted(known))}", file=sys.stderr)
            return 1
    for folder in (root / name for name in FOLDERS):
        pages = [path for path in sorted((folder / SOURCE).glob("*.md")) if (folder / language / path.name).exists()]
        recorded = read_record(folder / language)
        for page in pages:
            if names and page.name not in {Path(name).name for name in names}:
                continue
            source = page.read_text(encoding="utf-8")
            problems = differences(source, (folder / language / page.name).read_text(encoding="utf-8"))
            for problem in problems:
                print(f"{folder.name}/{language}/{page.name}: {problem}", file=sys.stderr)
            if problems:
                refused += 1
            else:
                print(f"{folder.name}/{language}/{page.name}: recorded")
                _take_off(f"{folder.name}/{language}/{page.name}", root)
                recorded[page.name] = [f"{block.hash} {block.text.splitlines()[0][:50] if block.text else block.kind}"
                                       for block in parse(source)]
        if pages:
            text = json.dumps(dict(sorted(recorded.items())), ensure_ascii=False, indent=0)
            (folder / language / RECORD).write_text(text + "\n", encoding="utf-8")
    return 1 if refused else 0


def _take_off(entry, root):
    """Take a page that is translated off the list of the untranslated."""
    entries = untranslated.read(root)
    if entry in entries:
        untranslated.write([each for each in entries if each != entry], root)


def read_record(folder):
    """{page: ["hash beginning of the block", …]} of a language's folder."""
    path = folder / RECORD
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


if __name__ == "__main__":
    sys.exit(main())
