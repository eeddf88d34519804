"""Results of long experiments in the chapters: what `book/experiments/<name>.json` holds stands in a cell as a literal.

    python -m book.tools.experiments     rewrite the literals, in all languages, from the files

Such a cell begins with the line `# book/experiments/<name>.json` and assigns the literal to a name, usually `results`. The file lies beside
the script that made it, `book/experiments/<name>.py`.
"""

import ast
import json
import re
import sys
from dataclasses import dataclass
from pathlib import Path

from book.tools.languages import CODES
from book.tools.paths import ROOT

WIDTH = 88
FIRST_LINE = re.compile(r"^# book/experiments/([\w.-]+)\.json$")
FENCE = re.compile(r"^```\{code-cell\}")


@dataclass(frozen=True)
class Literal:
    """A literal in a page: the experiment, and the statement's lines, `first` to `last`, counted from nought; `value` is what it holds."""

    page: Path
    experiment: str
    name: str
    first: int
    last: int
    value: object


class Unreadable(ValueError):
    """A cell that names an experiment and holds no literal of it; the message says where."""


def literals(page: Path) -> list[Literal]:
    """The experiments' literals in a page. Raises Unreadable where a cell names an experiment and assigns no literal."""
    lines, found, at = page.read_text(encoding="utf-8").splitlines(), [], 0
    while at < len(lines):
        if not FENCE.match(lines[at]):
            at += 1
            continue
        end = next((i for i in range(at + 1, len(lines)) if lines[i] == "```"), len(lines))
        start = next((i for i in range(at + 1, end) if lines[i].startswith("# book/experiments/")), None)
        if start is not None:
            found.append(_literal(page, lines, start, end))
        at = end + 1
    return found


def _literal(page, lines, start, end):
    where = f"{page.parent.name}/{page.name}, line {start + 1}"
    named = FIRST_LINE.match(lines[start].rstrip())
    if not named:
        raise Unreadable(f"{where}: {lines[start]!r} is not of the form # book/experiments/<name>.json")
    try:
        tree = ast.parse("\n".join(lines[start:end]))
        statement = next(each for each in tree.body if isinstance(each, ast.Assign))
        value = ast.literal_eval(statement.value)
        name = statement.targets[0].id
    except (SyntaxError, StopIteration, ValueError, AttributeError):
        raise Unreadable(f"{where}: the cell has to assign the literal of {named[1]}.json, as in results = {{…}}; "
                         "write results = {} and run `python -m book.tools.experiments`") from None
    return Literal(page, named[1], name, start + statement.lineno - 1, start + statement.end_lineno - 1, value)


def pages(root: Path = ROOT) -> list[Path]:
    return sorted(page for code in CODES for page in (root / "book" / code).glob("*.md"))


def read(name: str, root: Path = ROOT):
    """What an experiment's file holds; Unreadable where there is no such file."""
    path = root / "book" / "experiments" / f"{name}.json"
    if not path.is_file():
        raise Unreadable(f"there is no {path.relative_to(root)}")
    return json.loads(path.read_text(encoding="utf-8"))


def problems(root: Path = ROOT) -> list[str]:
    """Where literals and files disagree, where one of them or a script is missing, a sentence each."""
    found, used = [], set()
    for page in pages(root):
        try:
            for each in literals(page):
                used.add(each.experiment)
                if each.value != read(each.experiment, root):
                    found.append(f"{page.parent.name}/{page.name}, line {each.first + 1}: {each.name} is not what "
                                 f"book/experiments/{each.experiment}.json holds: run `python -m book.tools.experiments`")
        except Unreadable as error:
            found.append(str(error) if page.name in str(error) else f"{page.parent.name}/{page.name}: {error}")
    for path in sorted((root / "book" / "experiments").glob("*.json")):
        if path.stem not in used:
            found.append(f"book/experiments/{path.name}: no chapter holds it")
        if not path.with_suffix(".py").is_file():
            found.append(f"book/experiments/{path.name}: the script that made it, {path.stem}.py, is not beside it")
    return found


def rewrite(root: Path = ROOT) -> list[Path]:
    """Rewrites the literals that are not what their files hold, and those that are not laid out as here; returns the pages changed."""
    changed = []
    for page in pages(root):
        lines = page.read_text(encoding="utf-8").split("\n")
        before = list(lines)
        for each in reversed(literals(page)):
            lines[each.first : each.last + 1] = layout(read(each.experiment, root), f"{each.name} = ").split("\n")
        if lines != before:
            page.write_text("\n".join(lines), encoding="utf-8")
            changed.append(page)
    return changed


def layout(value, begin: str = "", indent: int = 0, end: str = "") -> str:
    """A value as Python, on one line where it fits into 88 columns; else a dictionary's entries one a line, a list's filled up."""
    line = begin + literal(value) + end
    if indent + len(line) <= WIDTH or not isinstance(value, (dict, list)) or not value:
        return " " * indent + line
    inside = indent + 4
    if isinstance(value, dict):
        body = [layout(item, f"{literal(key)}: ", inside, ",") for key, item in value.items()]
        opening, closing = "{}"
    else:
        body = _filled(value, inside)
        opening, closing = "[]"
    return "\n".join([" " * indent + begin + opening, *body, " " * indent + closing + end])


def _filled(items, indent):
    """The lines of a list: numbers and words side by side, lists and dictionaries by themselves."""
    if any(isinstance(item, (dict, list)) for item in items):
        return [layout(item, "", indent, ",") for item in items]
    lines, current = [], " " * indent
    for item in items:
        word = literal(item) + ","
        if current.strip() and len(current) + 1 + len(word) > WIDTH:
            lines.append(current)
            current = " " * indent
        current += (" " if current.strip() else "") + word
    return [*lines, current]


def literal(value) -> str:
    """A value as Python on one line, strings in double quotes."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{literal(key)}: {literal(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(literal, value)) + "]"
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str) else repr(value)


def main() -> int:
    try:
        changed = rewrite()
    except Unreadable as error:
        print(error, file=sys.stderr)
        return 1
    print(*([f"{page.relative_to(ROOT)}: rewritten" for page in changed] or ["All literals are as they should be."]), sep="\n")
    left = problems()
    print(*left, sep="\n", file=sys.stderr, end="\n" if left else "")
    return 1 if left else 0


if __name__ == "__main__":
    sys.exit(main())
