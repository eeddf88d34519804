"""What a chapter has to have, beside being right.

    python -m book.tools.lint [PAGE…]     check English pages (all, if none is named), as book/en/03-multi-head.md
"""

import re
import sys
import unicodedata
from pathlib import Path

from book.tools import numbers, toc
from book.tools.blocks import parse
from book.tools.languages import SOURCE
from book.tools.paths import BOOK

WIDTH = 88
QUESTIONS = 3
CHAPTER = re.compile(r"^\d\d-")
FENCE = re.compile(r"^```\{code-cell\}")


def is_chapter(name: str) -> bool:
    """Whether a page is a chapter: its name begins with its number."""
    return bool(CHAPTER.match(name))


def contents() -> list[str]:
    """Pages that `_toc.yml` lists and are not there, and the other way round, a sentence each."""
    listed, there = toc.chapters(), {path.stem for path in (BOOK / SOURCE).glob("*.md")}
    return ([f"_toc.yml lists {name}, and there is no book/{SOURCE}/{name}.md" for name in listed if name not in there]
            + [f"book/{SOURCE}/{name}.md is not in _toc.yml" for name in toc.unlisted(SOURCE)]
            + [f"_toc.yml lists {name} {listed.count(name)} times" for name in sorted(set(listed)) if listed.count(name) > 1])


def long_lines(name: str, text: str) -> list[str]:
    """Lines of code cells that are wider than 88 columns; a Chinese character takes two. Options and magics are free: they cannot be
    broken."""
    found, inside, options = [], False, False
    for number, line in enumerate(text.splitlines(), 1):
        if FENCE.match(line):
            inside, begin = True, number
        elif line == "```":
            inside = False
        elif inside and line == "---" and (options or number == begin + 1):
            options = not options
        elif inside and not options and not line.startswith(("%", ":")) and columns(line) > WIDTH:
            found.append(f"{name}, line {number}: {columns(line)} columns, and {WIDTH} fit on a page: {line.strip()[:60]}…")
    return found


def columns(line: str) -> int:
    return sum(2 if unicodedata.east_asian_width(character) in "WF" else 1 for character in line)


def structure(name: str, text: str) -> list[str]:
    """What a chapter lacks of its form: a question at its beginning, self-check questions with answers, summary, sources."""
    blocks = parse(text)
    found = []
    label = blocks[0].text[1:-2] if blocks and blocks[0].kind == "label" else None
    if label is None or len(blocks) < 3 or blocks[1].kind != "heading 1":
        return [f"{name}: it has to begin with a label, (name)=, and its title"]
    if not re.fullmatch(r"\*\*[^*]+\?\*\*", blocks[2].text.strip()):
        found.append(f"{name}, line {blocks[2].line}: below its title there has to be the question that it answers, in bold: **…?**")
    answered = questions(label, blocks)
    if len(answered) < QUESTIONS:
        found.append(f"{name}: {len(answered)} self-check questions, and there have to be {QUESTIONS} at least, each with a label "
                     f"({label}-question-1)= and its answer in a {{dropdown}}")
    found += [f"{name}: no answer in a {{dropdown}} follows ({question})=" for question, answer in answered.items() if not answer]
    if list(answered) != [f"{label}-question-{number}" for number in range(1, len(answered) + 1)]:
        found.append(f"{name}: the self-check questions are not numbered in order: {', '.join(answered)}")
    sections = [one.text[1:-2] for one, two in zip(blocks, blocks[1:]) if one.kind == "label" and two.kind == "heading 2"]
    found += [f"{name}: no section ({label}-{part})=, {what}" for part, what in
              (("check", "with the questions"), ("summary", "which sums up"), ("references", "with the sources"))
              if f"{label}-{part}" not in sections]
    if not any(block.kind.startswith("fence {bibliography}") for block in blocks):
        found.append(f"{name}: no {{bibliography}} in the section of the sources")
    found += [f"{name}, line {two.line}: no label above the heading {two.text!r}; without one it has another address in each language"
              for one, two in zip(blocks, blocks[1:]) if two.kind.startswith("heading") and one.kind != "label"]
    return found


def questions(label: str, blocks) -> dict[str, bool]:
    """{label of a self-check question: whether an answer follows before the next label}."""
    found, current = {}, None
    for block in blocks:
        if block.kind == "label":
            current = block.text[1:-2] if re.fullmatch(rf"\({re.escape(label)}-question-\d+\)=", block.text) else None
            if current:
                found[current] = False
        elif block.kind == "directive dropdown" and current:
            found[current] = True
    return found


def form(page: Path) -> list[str]:
    """What is to be mended in an English page beside its numbers."""
    name, text = f"{page.parent.name}/{page.name}", page.read_text(encoding="utf-8")
    return long_lines(name, text) + (structure(name, text) if is_chapter(page.name) else [])


def main(arguments: list[str] | None = None) -> int:
    named = [Path(each) for each in (sys.argv[1:] if arguments is None else arguments)]
    missing = [str(each) for each in named if not each.is_file()]
    if missing:
        print(f"There is no {', '.join(missing)}; name pages as book/{SOURCE}/03-multi-head.md", file=sys.stderr)
        return 2
    found, uncarried = [] if named else contents(), []
    for page in [each.resolve() for each in named] or sorted((BOOK / SOURCE).glob("*.md")):
        found += form(page)
        uncarried += numbers.problems(page) if is_chapter(page.name) else []
    said = [*found, *uncarried, *([numbers.REMEDY] if uncarried else [])]
    print(*said or ["All is well."], sep="\n")
    return 1 if said else 0


if __name__ == "__main__":
    sys.exit(main())
