"""The prose of a page, as the lints of languages read it: code, formulas and references stand for themselves by one sign each."""

import re
from dataclasses import dataclass

from book.tools.blocks import parse
from book.tools.compare import CODE_SPAN, FORMULA, LINK, ROLE

LATIN = "\ue000"  # stands for what is set in Latin letters: inline code, a formula
OTHER = "\ue001"  # stands for what is put there later: a citation, an equation's number, a message's insertion
EMPHASIS = "\ue002"  # where bold or italics begin or end
TEXT_ROLE = re.compile(r"^(.*?)\s*<[^>]*>$", re.S)
EXCERPT = 60


@dataclass(frozen=True)
class Fault:
    """Something to mend: the page, the line, what is wrong, and where in the line."""

    page: str
    line: int
    what: str
    excerpt: str

    def __str__(self) -> str:
        return f"{self.page}, line {self.line}: {self.what}: “{self.excerpt}”"


def paragraphs(text, emphasis=""):
    """[(line, kind, prose)] of a page."""
    return [(block.line, block.kind, words_of(block.text, emphasis)) for block in parse(text) if block.is_prose]


def words_of(text, emphasis=""):
    """Prose with one sign in place of each piece of code, formula or reference, and another one, or nothing, for marks of emphasis."""
    text = ROLE.sub(_role, text)
    text = FORMULA.sub(LATIN, text)
    text = CODE_SPAN.sub(LATIN, text)
    text = re.sub(r"!?\[([^\]]*)\]", r"\1", LINK.sub("]", text))
    text = re.sub(r"<[^<>\n]+>|&\w+;", " ", text)
    return re.sub(r"\*+|(?<!\w)_+|_+(?!\w)", emphasis, re.sub(r"^#+ ", "", text))


def _role(match):
    """What a reader sees of a role: its own words where it has some."""
    name, content = match[1], match[2]
    own = TEXT_ROLE.match(content)
    return own[1] if own and name in ("ref", "term", "doc", "numref") else OTHER


def around(text, match):
    """The words around a match, on one line."""
    begin = max(0, match.start() - EXCERPT // 2)
    return " ".join(text[begin : match.end() + EXCERPT // 2].replace(EMPHASIS, "").replace(LATIN, "▫").replace(OTHER, "▫").split())
