"""Explains the glossary's terms where they stand: the first use in each section shows its sentence on hover or tap. The first in the
chapter is a link to the glossary as well, which a keyboard reaches and a screen reader tells of. Later ones are not, because a hundred
links to what has been said already would stand between such a reader and the next thing to do.

A term is found in whatever form the language gives it: by its plural in English, by the stems of its words in Swedish and Russian, as it is
in Chinese. Where that finds the wrong words, the column `pattern` of `book/definitions/<code>.csv` says what to look for, a regular
expression, or `-` for a term that is not to be marked (in the English file: in no language).
"""

import json
import re
from collections import defaultdict
from dataclasses import dataclass

import snowballstemmer
from docutils import nodes
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx_design.dropdown import dropdown_title

from book.tools import glossary
from book.tools.ext import dropdowns
from book.tools.ext.quiz import question
from book.tools.languages import SOURCE

SCRIPT = "explained.js"
PAGE = "glossary"
CHAPTER = re.compile(r"\d\d-")
STEMMERS = {"sv": "swedish", "ru": "russian"}
NEVER = "-"
# Nothing in these is marked: what is a link or a button already, what is not prose, what names rather than says.
LEFT_ALONE = (nodes.title, nodes.literal, nodes.literal_block, nodes.reference, nodes.math, nodes.math_block, nodes.raw, nodes.rubric,
              nodes.thead,
              nodes.caption, nodes.comment, nodes.footnote, nodes.citation, question, dropdown_title, dropdowns.summary)
CLASSES_LEFT_ALONE = {"cell_output", "bibtex-citation", "interactive"}


@dataclass(frozen=True)
class Term:
    """A term as it is looked for in one language. stems: what the words found have to come down to, or None where the pattern says it
    all."""

    name: str
    pattern: str
    stems: tuple[str, ...] | None = None


def stems_of(words: str, language: str) -> tuple[str, ...]:
    """The stems of a phrase's words."""
    return tuple(snowballstemmer.stemmer(STEMMERS[language]).stemWords(re.findall(r"\w+", words.lower())))


def looked_for(row: dict, language: str, pattern: str) -> Term:
    """How a row of the glossary is found in a page. pattern: the definition's own, or nothing."""
    said = re.sub(r"\s*[（(].*?[)）]", "", row[language])
    if pattern:
        return Term(row[SOURCE], pattern)
    if language in STEMMERS:
        parts = [f"{re.escape(word[:max(2, len(word) - 3)])}\\w*" for word in re.findall(r"\w+", said)]
        return Term(row[SOURCE], r"(?<![\w-])" + r"[\s-]+".join(parts) + r"(?![\w-])", stems_of(said, language))
    if re.search(r"[\u3400-\u9fff]", said):
        return Term(row[SOURCE], re.escape(said))
    plural = f"(?:{re.escape(said)}s?|{re.escape(said[:-1])}ies)" if said.endswith("y") else f"{re.escape(said)}(?:e?s)?"
    return Term(row[SOURCE], rf"(?<![\w-]){plural}(?![\w-])")


def terms(language: str) -> list[Term]:
    """The terms that pages of a language explain, longer ones first, so that a term inside another is not taken for it."""
    english, own = glossary.definitions(SOURCE), glossary.definitions(language)
    found = []
    for row in glossary.terms():
        patterns = [each[row[SOURCE]].pattern if row[SOURCE] in each else "" for each in (english, own)]
        if NEVER not in patterns and row[SOURCE] in english:
            found.append((len(row[language]), looked_for(row, language, patterns[1])))
    return [term for _, term in sorted(found, key=lambda each: -each[0])]


class Finder:
    """Finds terms in texts of one language."""

    def __init__(self, language: str) -> None:
        self.language = language
        self.terms = terms(language)
        self.pattern = re.compile("|".join(f"(?P<t{number}>{term.pattern})" for number, term in enumerate(self.terms)), re.IGNORECASE)

    def find(self, text: str) -> list[tuple[int, int, str]]:
        """(begin, end, term's English name) of every term in a text, in order."""
        if not self.terms:
            return []
        found = []
        for match in self.pattern.finditer(text):
            term = self.terms[int(match.lastgroup[1:])]
            if term.stems is None or stems_of(match[0], self.language) == term.stems:
                found.append((*match.span(), term.name))
        return found


class mention(nodes.Inline, nodes.TextElement):
    """A term that the chapter has explained before; `term` is its address in the glossary."""


def visit_mention(writer, node: mention) -> None:
    writer.body.append(f'<span class="explained" data-term="{node["term"]}">')


def is_folded(text: nodes.Text) -> bool:
    """Whether a text stands in an answer that is closed at first."""
    node = text.parent
    while node is not None and not isinstance(node, dropdowns.details):
        node = node.parent
    return node is not None


def is_prose(text: nodes.Text) -> bool:
    """Whether a text may have explained terms in it."""
    node = text.parent
    while node is not None:
        if isinstance(node, LEFT_ALONE) or CLASSES_LEFT_ALONE & set(node.get("classes", ())):
            return False
        node = node.parent
    return True


def section_of(text: nodes.Text):
    """The section of the page that a text stands in: the one under the page's own heading, or the page."""
    above, node = [], text.parent
    while node is not None:
        if isinstance(node, nodes.section):
            above.append(node)
        node = node.parent
    return above[-2] if len(above) > 1 else (above or [None])[0]


class Explained(SphinxPostTransform):
    """Runs last, when dropdowns and questions are what they become."""

    default_priority = 850
    formats = ("html",)

    def run(self, **kwargs) -> None:
        if not CHAPTER.match(self.env.docname) or PAGE not in self.env.found_docs:
            return
        finder, seen, linked = Finder(self.config.book_language), defaultdict(set), set()
        page = self.app.builder.get_relative_uri(self.env.docname, PAGE)
        for text in list(self.document.findall(nodes.Text)):
            if is_prose(text):
                folded = is_folded(text)
                made = self.mark(text, finder.find(text), seen[section_of(text)], linked, page)
                linked |= set() if folded else made

    @staticmethod
    def mark(text: nodes.Text, found: list[tuple[int, int, str]], seen: set[str], linked: set[str], page: str) -> set[str]:
        """Marks those terms that the section has not had yet, as links where the chapter has none for them that is always seen. Returns
        these."""
        pieces, end, fresh = [], 0, set()
        for begin, stop, name in found:
            if name in seen:
                continue
            seen.add(name)
            anchor, said = glossary.anchor(name), text[begin:stop]
            if name in linked:
                made = mention("", said, term=anchor)
            else:
                fresh.add(name)
                made = nodes.reference("", said, refuri=f"{page}#{anchor}", internal=True, classes=["explained"])
            pieces += [nodes.Text(text[end:begin]), made]
            end = stop
        if pieces:
            text.parent.replace(text, [each for each in [*pieces, nodes.Text(text[end:])] if each.astext()])
        return fresh


def add_sentences(app, pagename, templatename, context, doctree) -> None:
    """Gives a page the sentences of its terms, for the script, which other pages do not load."""
    if doctree is None:
        return
    links = [each for each in doctree.findall(nodes.reference) if "explained" in each["classes"]]
    if not links:
        return
    wanted = {each["refuri"].partition("#")[2] for each in links}
    said = {glossary.anchor(name): text for name, text in glossary.sentences(app.config.book_language).items()}
    data = json.dumps({each: said[each] for each in sorted(wanted)}, ensure_ascii=False).replace("</", "<\\/")
    context["body"] += f'<script type="application/json" id="explanations">{data}</script>\n'
    app.add_js_file(SCRIPT, loading_method="defer")


def setup(app):
    app.add_node(mention, html=(visit_mention, lambda writer, node: writer.body.append("</span>")))
    app.add_post_transform(Explained)
    app.connect("html-page-context", add_sentences)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
