"""What the English pages say that a language lacks: their titles, and what their labels stand for, for links that lead there."""

import re
from dataclasses import dataclass, field
from functools import cache

from docutils.nodes import make_id

from book.tools import toc
from book.tools.blocks import parse
from book.tools.languages import SOURCE
from book.tools.paths import BOOK

MARKUP = re.compile(r"\{[\w:]+\}`([^`<]*?)\s*(?:<[^>]*>)?`|[*`]|\[([^\]]*)\]\([^)]*\)")
FORMULA_LABEL = re.compile(r"\$\$\s*\(([^()\s]+)\)\s*$")


@dataclass(frozen=True)
class Original:
    """An English page: its name, chapter number (None where it has none), title, {label: title of what it marks}, {formula's label:
    number}."""

    name: str
    number: int | None
    title: str
    labels: dict = field(hash=False)
    equations: dict = field(hash=False)

    def address(self, pagename: str, anchor: str = "") -> str:
        """Where the page is, from a page of another language."""
        up = "../" * (pagename.count("/") + 1)
        return f"{up}{SOURCE}/{self.name}.html" + (f"#{anchor}" if anchor else "")


def missing(code: str) -> list[str]:
    """The pages of the table of contents that a language lacks, in order."""
    return [name for name in toc.chapters() if not (BOOK / code / f"{name}.md").is_file()]


@cache
def lacking(code: str) -> tuple[Original, ...]:
    """The English pages that a language lacks, in the order of the table of contents."""
    return tuple(read(name) for name in missing(code)) if code != SOURCE else ()


def read(name: str) -> Original:
    """An English page's title and labels."""
    text = (BOOK / SOURCE / f"{name}.md").read_text(encoding="utf-8")
    number, title, labels, equations, waiting = toc.numbers().get(name), "", {}, {}, []
    for block in parse(text):
        if block.kind == "label":
            waiting.append(block.text.strip()[1:-2])
            continue
        said = plain(block.text.lstrip("#").strip()) if block.kind.startswith("heading") else ""
        title = title or said
        labels |= {label: said for label in waiting}
        waiting = []
        formula = FORMULA_LABEL.search(block.text) if block.kind == "formula" else None
        if formula:
            equations[formula[1]] = ".".join(map(str, [*([number] if number else []), len(equations) + 1]))
    return Original(name, number, title or name, labels, equations)


def section(code: str, label: str) -> tuple[Original, str]:
    """The English page that has a label, and the title of what it marks; KeyError where there is none."""
    wanted = label.lower()
    return next(((page, said or page.title) for page in lacking(code) for each, said in page.labels.items() if each.lower() == wanted),
                None) or _unknown(label)


def equation(code: str, label: str) -> tuple[Original, str]:
    """The English page that has a formula of that label, and the formula's number; KeyError where there is none."""
    return next(((page, page.equations[label]) for page in lacking(code) if label in page.equations), None) or _unknown(label)


def page(code: str, name: str) -> Original:
    """The English page of that name, which the language lacks; KeyError where there is none."""
    return next((each for each in lacking(code) if each.name == name), None) or _unknown(name)


def anchor(label: str) -> str:
    """The address of a label inside its page."""
    return make_id(label)


def plain(text: str) -> str:
    """A heading's words without markup."""
    return MARKUP.sub(lambda found: found[1] or found[2] or "", text).strip()


def _unknown(label: str):
    raise KeyError(label)
