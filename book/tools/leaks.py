"""English that was left in a translation: paragraphs with English words in them, and strings and comments of code that are still the
English ones.

What is meant to be English, a title for instance, is allowed by a comment in the page, with a reason:

    % english Attention Is All You Need, The Annotated Transformer: titles
"""

import ast
import io
import re
import tokenize
from itertools import zip_longest

from book.tools.blocks import parse
from book.tools.compare import split_options
from book.tools.prose import OTHER, Fault, words_of
from book.tools.skeleton import split_magics

STOP = set("the and of to with that this which from has have you your each its not was were be by are is it an or on for as at how what "
           "when where why they their there than then these those can".split())
# words, or parts of names there
ALSO_SWEDISH = {"is", "an", "or", "on", "for", "as", "at", "can", "be", "by", "it", "to", "has", "not", "then", "was"}
ENOUGH = 2  # stop words in a paragraph
IN_A_ROW = {"ru": 5, "zh-CN": 5}  # English words one after the other; names have fewer
WORD = re.compile(r"[A-Za-z][A-Za-z’'-]*")
ALLOWED = re.compile(r"^% english (?P<words>[^:\n]*):(?P<reason>.*)$", re.MULTILINE)
QUOTED = re.compile(r"[”«“][\x00-\x7f]+[”»]")  # what is quoted and wholly English is meant to be
WORDS_OF_CODE = 3  # a string with fewer may be a name
CODE = re.compile(r"->|[_\\/=|·]|\w\(|\bimport |^outside ")


def of_page(language, name, text, english):
    """The faults of a translated page, a list of Fault."""
    allowed = [one.strip() for found in ALLOWED.finditer(text) for one in found["words"].split(", ")]
    found = []
    for ours, theirs in zip_longest(parse(text), parse(english)):
        if ours is not None and ours.is_prose:
            found += [Fault(name, ours.line, what, where) for what, where in of_paragraph(language, without(words_of(ours.text), allowed))]
        if ours is not None and theirs is not None and ours.kind == theirs.kind == "code-cell":
            found += [Fault(name, ours.line, "still English in a cell", one) for one in of_cell(ours.text, theirs.text)
                      if one not in allowed]
    return found


def without(words, allowed):
    """Prose without what is allowed to be English."""
    for one in allowed:
        words = words.replace(one, OTHER)
    return words


def of_paragraph(language, words):
    """[(what is wrong, where)]: English words that say that a sentence has been left."""
    words = QUOTED.sub(OTHER, words)
    stop = STOP - ALSO_SWEDISH if language == "sv" else STOP
    hits = [match for match in WORD.finditer(words) if match[0].lower() in stop]
    if len(hits) >= ENOUGH:
        return [("English words", words[max(0, hits[0].start() - 20) : hits[-1].end() + 20][:80])]
    row = re.search(rf"(?:{WORD.pattern}[ ,]+){{{IN_A_ROW[language] - 1},}}{WORD.pattern}", words) if language in IN_A_ROW else None
    return [("many English words in a row", row[0][:80])] if row else []


def of_cell(ours, theirs):
    """The strings and comments of a cell, and its picture's description, that are still the English ones."""
    same = set(said(ours)) & set(said(theirs))
    return sorted(one for one in same if is_sentence(one))


def is_sentence(text):
    """Whether a text is words for people: three of them at least, and none of the signs that code has."""
    words = re.findall(r"(?<![\w.])[A-Za-z][a-z’'-]{2,}(?![\w.]*\w)", text)
    return len(words) >= WORDS_OF_CODE and any(word.lower() in STOP or word.islower() for word in words) and not CODE.search(text)


def said(cell):
    """A cell's strings, comments and descriptions; of an f-string what stands between its insertions."""
    options, code = split_options_with_words(cell)
    yield from options
    python = split_magics(code)[1]
    for node in told(ast.parse(python)):
        if isinstance(node, ast.JoinedStr):
            yield " … ".join(part.value for part in node.values if isinstance(part, ast.Constant))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield " ".join(node.value.split())
    yield from (token.string.strip("# ") for token in tokenize.generate_tokens(io.StringIO(python).readline)
                if token.type == tokenize.COMMENT)


def told(tree):
    """The nodes of a tree but for those in `raise`: an exception's message is code, and the same in all languages."""
    if not isinstance(tree, ast.Raise):
        yield tree
        for child in ast.iter_child_nodes(tree):
            yield from told(child)


def split_options_with_words(cell):
    """([alternative texts and captions], code) of a cell."""
    words = [found[1].strip().strip("\"'") for found in re.finditer(r"^\s*:?(?:alt|caption|name): *(.*)$", cell, re.MULTILINE)]
    return words, split_options(cell)[1]


def of_message(language, name, text):
    """The faults of a message to students."""
    return [Fault(name, 0, *one) for one in of_paragraph(language, words_of(re.sub(r"\{[^}]*\}", OTHER, text)))]
