"""A MyST page as a list of blocks: what a translation is compared by, and recorded by."""

import hashlib
import re
from dataclasses import dataclass

FENCE = re.compile(r"^(`{3,}|:{3,})(.*)$")
PROSE_DIRECTIVES = ("dropdown", "admonition", "note", "tip", "warning", "important", "hint", "seealso")
LABEL = re.compile(r"^\(([\w.-]+)\)=$")
HEADING = re.compile(r"^(#{1,6}) ")
LIST_ITEM = re.compile(r"^\s*([-*+]|\d+\.) ")


@dataclass(frozen=True)
class Block:
    """A paragraph, heading, label, list item, table, formula, code cell or other fence.

    kind says which of them, and for fences what is written behind the fence; line is its first line, counted from one.
    """

    kind: str
    text: str
    line: int

    @property
    def hash(self):
        """Ten hexadecimal digits that change with the text, whatever its line breaks."""
        return hashlib.sha256(" ".join(self.text.split()).encode("utf-8")).hexdigest()[:10]

    @property
    def is_prose(self):
        return self.kind in ("paragraph", "heading 1", "heading 2", "heading 3", "item", "table") or self.kind.startswith("directive")


def parse(text):
    """The blocks of a page, front matter left out, in order. Directives that hold prose are followed by the blocks inside."""
    lines = text.splitlines()
    start = 0
    if lines and lines[0] == "---":
        start = lines.index("---", 1) + 1
    return list(_blocks(lines[start:], start + 1))


def _blocks(lines, first):
    """Blocks of some lines, the first of which is line number `first` of the page."""
    i = 0
    while i < len(lines):
        line = lines[i]
        fence = FENCE.match(line)
        if not line.strip() or line.startswith("%"):  # a comment is nobody's text
            i += 1
        elif fence:
            end = next((j for j in range(i + 1, len(lines)) if lines[j].rstrip() == fence[1]), len(lines))
            yield from _fence(fence[2].strip(), lines[i + 1 : end], first + i)
            i = end + 1
        elif line.startswith("$$"):
            end = i if line.count("$$") > 1 else next(j for j in range(i + 1, len(lines)) if "$$" in lines[j])
            yield Block("formula", "\n".join(lines[i : end + 1]), first + i)
            i = end + 1
        elif LABEL.match(line):
            yield Block("label", line, first + i)
            i += 1
        elif HEADING.match(line):
            yield Block(f"heading {len(HEADING.match(line)[1])}", line, first + i)
            i += 1
        else:
            end = i + 1
            while end < len(lines) and lines[end].strip() and not _starts_something(lines[end], line):
                end += 1
            kind = "table" if line.startswith("|") else "item" if LIST_ITEM.match(line) else "paragraph"
            yield Block(kind, "\n".join(lines[i:end]), first + i)
            i = end


def _starts_something(line, block_start):
    """Whether a line begins a new block although no empty line stands before it."""
    begins = FENCE.match(line) or LABEL.match(line) or line.startswith(("$$", "%")) or LIST_ITEM.match(line)
    return bool(begins) and not block_start.startswith("|")


def _fence(info, body, line):
    """The block of a fence; for a directive that holds prose, its title and then the blocks in it."""
    name = re.match(r"^\{(\w[\w-]*)\}\s*(.*)$", info)
    if name and name[1] in PROSE_DIRECTIVES:
        yield Block(f"directive {name[1]}", name[2], line)
        yield from _blocks(["" if text.startswith(":class:") else text for text in body], line + 1)
    elif name and name[1] == "code-cell":
        yield Block("code-cell", "\n".join(body), line)
    else:
        yield Block(f"fence {info}", "\n".join(body), line)
