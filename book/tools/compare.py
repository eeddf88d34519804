"""Comparing a translation with its English: the same blocks, code, formulas, numbers, labels and references."""

import re
from collections import Counter
from itertools import zip_longest

import yaml

from book.tools.blocks import parse
from book.tools.languages import CODES
from book.tools.skeleton import skeleton

CODE_SPAN = re.compile(r"(`+)(.+?)\1", re.S)
ROLE = re.compile(r"\{([\w:]+)\}`([^`]*)`")
FORMULA = re.compile(r"\$\$(.+?)\$\$|\$(.+?)\$", re.S)
LINK = re.compile(r"\]\(([^)\s]+)\)")
NUMBER = re.compile(r"\d+(?:[.,\u00a0\u202f]\d+)*")
LANGUAGE_PATH = re.compile(rf"\b(exercises|book|solutions)/({'|'.join(CODES)})\b")
MARK = re.compile(r"# (?:shared|book/experiments/\S+)$")  # first line of a cell: a comment that the build reads
DRAWINGS = ("fence", "fence text")  # pictures made of signs, with words in them
SAME_WORDS = 5  # a paragraph of so many words that is the English one to the letter has not been translated


def differences(english, translation):
    """What is not the same in a translated page, a sentence each, with the translation's line."""
    ours, theirs = parse(english), parse(translation)
    found = []
    for a, b in zip_longest(ours, theirs):
        if a is None or b is None or a.kind != b.kind:
            where = f"line {b.line}" if b else "the end"
            found.append(f"{where}: {b.kind if b else 'nothing'} stands where the English (line {a.line if a else '—'}) has "
                         f"{a.kind if a else 'nothing'}: {excerpt(a or b)}")
            break  # whatever follows is shifted
        found += [f"line {b.line}: {problem}" for problem in block_differences(a, b)]
    return found


def block_differences(a, b):
    """What differs between an English block and its translation, a sentence each."""
    if a.kind == "code-cell":
        return code_differences(a.text, b.text)
    if a.kind == "label":
        return [] if a.text == b.text else [f"the label is {b.text}, and {a.text} in English"]
    if a.kind == "formula":
        return [] if bare_formula(a.text) == bare_formula(b.text) else ["the formula is not the English one"]
    if a.kind.startswith("fence"):
        same = drawing(a.text) == drawing(b.text) if a.kind in DRAWINGS else neutral(a.text) == neutral(b.text)
        return [] if same else [f"the block is not the English one: {excerpt(b)}"]
    problems = []
    for what, extract in EXTRACTS.items():
        found = disagreement(extract(a.text), extract(b.text))
        if found:
            problems.append(f"{what}: {found}: {excerpt(b)}")
    if a.text == b.text and len(re.findall(r"[A-Za-z]{2,}", plain(a.text))) >= SAME_WORDS:
        problems.append(f"still in English: {excerpt(b)}")
    return problems


def disagreement(ours, theirs):
    """What an English block has and its translation has not, and the other way round, in words; nothing where they agree."""
    lacking, added = ([str(each) for each in one if each not in other] for one, other in ((ours, theirs), (theirs, ours)))
    said = [f"the English has {', '.join(lacking)}, and this has not"] * bool(lacking)
    said += [f"this has {', '.join(added)}, and the English has not"] * bool(added)
    said += [f"the English has {each} {times(ours[each])}, and this {times(theirs[each])}"
             for each in ours if each in theirs and ours[each] != theirs[each]]
    return "; ".join(said)


def times(number):
    return {1: "once", 2: "twice"}.get(number, f"{number} times")


def code_differences(a, b):
    """How two code cells differ once comments, strings and pictures' descriptions are left out."""
    (options_a, code_a), (options_b, code_b) = split_options(a), split_options(b)
    problems = []
    if options_a != options_b:
        problems.append(f"the cell's options are {options_b}, and {options_a} in English")
    if mark(code_a) != mark(code_b):
        problems.append(f"the cell's first line is {mark(code_b) or 'no mark'}, and {mark(code_a) or 'no mark'} in English")
    try:
        same = skeleton(code_a) == skeleton(code_b)
    except SyntaxError as error:
        return [*problems, f"the code does not parse: {error.msg} ({(error.text or '').strip()})"]
    if not same:
        problems.append("the code differs in more than comments and strings: " + first_difference(code_a, code_b))
    return problems


def mark(code):
    """The first line of a cell where it is one that the build reads, else nothing."""
    line = code.lstrip("\n").split("\n", 1)[0].rstrip()
    return line if MARK.match(line) else ""


def split_options(text):
    """(options, code) of a cell; the words of an alternative text count as one mark."""
    lines = text.split("\n")
    if lines[0] == "---":
        end = lines.index("---", 1)
        options = yaml.safe_load("\n".join(lines[1:end]))
        code = lines[end + 1 :]
    else:
        n = next((i for i, line in enumerate(lines) if not line.startswith(":")), len(lines))
        options, code = {line.split(":")[1]: line.split(":", 2)[2].strip() for line in lines[:n]}, lines[n:]
    return _mask_words(options), "\n".join(code)


def _mask_words(options):
    if isinstance(options, dict):
        return {key: "…" if key in ("alt", "caption", "name") else _mask_words(value) for key, value in options.items()}
    return options


def first_difference(a, b):
    """The first line of b whose words outside strings and comments are not those of a."""
    def bare(line):
        return re.sub(r"#.*$|f?(\"[^\"]*\"|'[^']*')", "", line).strip()

    pairs = zip_longest(a.splitlines(), b.splitlines(), fillvalue="")
    return next((line_b or f"(nothing, in place of {line_a})" for line_a, line_b in pairs if bare(line_a) != bare(line_b)),
                "(in a string's insertions)")


def neutral(text):
    """A text without what names its language, in paths and to make, and without comments of a shell."""
    return re.sub(r"(?m)\s*#.*$| LANG_CODE=\S+", "", LANGUAGE_PATH.sub(r"\1/…", text))


def drawing(text):
    """What a picture made of signs has in all languages: its number of lines, and the numbers in it; words and spaces are a language's
    own."""
    return len(text.splitlines()), sorted(re.findall(r"\d+", text))


def bare_formula(text):
    """A formula without the words in it, white space or closing punctuation, and without what separates decimals and thousands."""
    text = re.sub(r"(?<=\d)(?:\.|\{,\})(?=\d)", "", text)
    words = re.sub(r"\\(text|mathrm|textbf)\{[^{}]*\}", r"\\text{…}", text)
    return re.sub(r"\s+|\\ |\\,|\\;|\\quad|[.,;。，；](?=\$|$)", "", words)


def plain(text):
    """Prose without code, roles, formulas and links."""
    for pattern in (ROLE, CODE_SPAN, FORMULA, LINK):
        text = pattern.sub(" ", text)
    return text


def excerpt(block):
    """The beginning of a block, to be found by."""
    line = " ".join(block.text.split())
    return f"“{line[:60]}…”" if len(line) > 60 else f"“{line}”"


def code_spans(text):
    return Counter(neutral(match[1]) for match in CODE_SPAN.findall(ROLE.sub(" ", FORMULA.sub(" ", text))))


def formulas(text):
    return Counter(bare_formula(a or b) for a, b in FORMULA.findall(CODE_SPAN.sub(" ", text)))


def references(text):
    """What roles point to: the target in <…>, or the whole where there is none."""
    targets = ((role, re.search(r"<([^>]*)>$", content)) for role, content in ROLE.findall(text))
    contents = [content for _, content in ROLE.findall(text)]
    return Counter(f"{role}:{found[1] if found else content}" for (role, found), content in zip(targets, contents))


def numbers(text):
    """The numbers of the prose, whatever separates their thousands and decimals."""
    return Counter(re.sub(r"[.,\u00a0\u202f ]", "", number) for number in NUMBER.findall(plain(text)))


def links(text):
    return Counter(neutral(target) for target in LINK.findall(text))


EXTRACTS = {
    "the code in it": code_spans,
    "the formulas": formulas,
    "the references": references,
    "the numbers": numbers,
    "the links": links,
}
