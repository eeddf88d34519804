"""Keeping the translations true: what waits to be translated, and which English a translation was made from.

    python -m book.tools.translations                     what waits, what differs, and what has changed in English since
    python -m book.tools.translations --record sv FILE…   the translation is up to date: remember the English it was made from; with --same
                                                          although the English has changed, and it has not
    python -m book.tools.translations --wait              what is missing in a language waits: put it on the list book/untranslated.txt
"""

import argparse
import difflib
import json
import sys
from pathlib import Path

from book.tools import formerly, untranslated
from book.tools.blocks import parse
from book.tools.compare import differences, excerpt
from book.tools.languages import CODES, SOURCE
from book.tools.paths import README, ROOT
from book.tools.untranslated import FOLDERS

TRANSLATIONS = tuple(code for code in CODES if code != SOURCE)
RECORD = "translated-from.json"


def main(arguments=None):
    """The command; returns 1 where something is to be done."""
    options = argparse.ArgumentParser(prog="python -m book.tools.translations", description=__doc__.splitlines()[0])
    options.add_argument("--record", nargs="+", metavar=("LANGUAGE", "FILE"),
                         help="remember the present English as that of LANGUAGE's FILEs")
    options.add_argument("--all", action="store_true", help="with --record: all of its files")
    options.add_argument("--same", action="store_true",
                         help="with --record: the translation holds as it is, although the English has changed and it has not")
    options.add_argument("--wait", action="store_true",
                         help=f"put what is missing on the list in {untranslated.LIST}, and take off it what is not")
    chosen = options.parse_args(arguments)
    if chosen.wait:
        wait()
    if chosen.record:
        language, *names = chosen.record
        if language not in TRANSLATIONS:
            options.error(f"{language} is none of {', '.join(TRANSLATIONS)}")
        if bool(names) == chosen.all:
            options.error(f"name the files that are up to date, as --record {language} 05-kv-cache.md, or say --all")
        return record(language, names, same=chosen.same)
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
        lines += [f"{where}: {change}" for change in changes(english[name], recorded.get(name))]
    return lines


def changes(page, recorded):
    """What has changed in an English page since a translation was made from it, a sentence for each block."""
    if recorded is None:
        return [f"no record of the English it was made from (see {RECORD})"]
    blocks, then = parse(page.read_text(encoding="utf-8")), [_hashes(line)[0] for line in recorded]
    parts = _changed(then, blocks)
    said = formerly.texts(page, {old for i, j, _, _ in parts for old in then[i:j]}) if parts else {}
    found = []
    for i, j, k, end in parts:
        before = [said.get(old) for old in then[i:j]] if j - i == end - k else [None] * (end - k)
        shown = [formerly.differing(old, block.text) if old else excerpt(block) for old, block in zip(before, blocks[k:end])]
        found += [f"the English has changed at its line {block.line}: {words}" for block, words in zip(blocks[k:end], shown)]
        if k == end:
            found += [f"gone from the English: {line.split(' ', 1)[1]}" for line in recorded[i:j]]
    return found


def untouched(english, translation, recorded):
    """Blocks of a translation that are what they were when it was recorded, although their English is not, a sentence each.

    A record of old has no hashes of the translation, and says nothing about that.
    """
    ours, theirs, then = parse(english), parse(translation), [_hashes(line) for line in recorded or ()]
    found = []
    for i, j, k, end in _changed([one for one, _ in then], ours):
        before = {other for _, other in then[i:j]}
        found += [f"line {b.line}: the English (line {a.line}) has changed since the last record, and this has not; translate it anew, "
                  f"or say --same if it holds as it is: {excerpt(b)}"
                  for a, b in zip(ours[k:end], theirs[k:end]) if b.hash in before and b.text != a.text]
    return found


def _changed(then, blocks):
    """[(from, to, from, to)]: the places in a record's hashes, and among the blocks of today, that do not agree."""
    codes = difflib.SequenceMatcher(a=then, b=[block.hash for block in blocks], autojunk=False).get_opcodes()
    return [places for kind, *places in codes if kind != "equal"]


def _hashes(line):
    """The hash of an English block and that of its translation, as a line of the record begins with; None for what it lacks."""
    english, _, translation = line.split(" ", 1)[0].partition("/")
    return english, translation or None


def record(language, names=(), root=ROOT, same=False):
    """Remember the present English of a language's files, all if none is named; refuses, and says why, where a file does not agree with it.

    same: a paragraph that is what it was although its English has changed is no reason to refuse.
    """
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
            source, translation = (each.read_text(encoding="utf-8") for each in (page, folder / language / page.name))
            problems = differences(source, translation) or ([] if same else untouched(source, translation, recorded.get(page.name)))
            for problem in problems:
                print(f"{folder.name}/{language}/{page.name}: {problem}", file=sys.stderr)
            if problems:
                refused += 1
            else:
                print(f"{folder.name}/{language}/{page.name}: recorded")
                _take_off(f"{folder.name}/{language}/{page.name}", root)
                recorded[page.name] = [f"{a.hash}/{b.hash} {a.text.splitlines()[0][:50] if a.text else a.kind}"
                                       for a, b in zip(parse(source), parse(translation))]
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
    """{page: ["hash/hash of the translation, beginning of the English block", …]} of a language's folder."""
    path = folder / RECORD
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


if __name__ == "__main__":
    sys.exit(main())
