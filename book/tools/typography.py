"""Each language's own signs: quotation marks, dashes, spaces, the separators in numbers.

Swedish: ”…”, – with spaces, 0,6 and 65 504. Russian: «…», — with a no-break space before it, 0,6 and 65 504. Chinese: full-width
punctuation, a space between Chinese and Latin. A separator in a number is wrong where it is the English one of the same paragraph.
"""

import re
from itertools import zip_longest

from book.tools.prose import EMPHASIS, LATIN, OTHER, Fault, around, paragraphs, words_of

HAN = r"\u3400-\u9fff"
WESTERN = rf"A-Za-z0-9{LATIN}"
FULL = "，。：；？！、（）《》"
NUMBERS = (
    (r"(?<![\w-])\d{1,3} \d{3}(?!\w)", "a no-break space separates thousands"),
    (r"\d ?%", "a no-break space stands before %"),
)
RULES = {
    "sv": (
        (r"[\"“„«»]", "quotation marks are ”…”"),
        (r"(?<=\w)'(?=\w)|(?<=\s)'|'(?=\s)", "an apostrophe is ’"),
        (r" - |—", "a dash is – with spaces"),
        (r"(?<=[^\W\d])–(?=[^\W\d])", "a dash between words has spaces around it"),
        *NUMBERS,
    ),
    "ru": (
        (r"[\"“”„]", "quotation marks are «…»"),
        (r" - | – ", "a dash is —"),
        (r" —", "a no-break space stands before —"),
        (r"—(?=\w)", "a space stands after —"),
        (r"[A-Za-z][а-яё]|[а-яё][A-Za-z]", "Latin and Cyrillic letters in one word"),
        *NUMBERS,
    ),
    "zh-CN": (
        (rf"[{HAN}][{WESTERN}]|[{WESTERN}][{HAN}]", "a space stands between Chinese and Latin"),
        (rf"[{HAN}] +[{HAN}]", "no space stands between Chinese characters"),
        (rf" [{FULL}]|[{FULL}] +(?=\S)", "no space stands beside full-width punctuation"),
        (rf"[{HAN}”][,;:?!]|[,;:?!] ?[{HAN}]|[{HAN}]\.(?!\.)", "punctuation is full-width"),
        (rf"[{HAN}]\(|\)[{HAN}]", "brackets are full-width"),
        (r"[\"「」『』]", "quotation marks are “…”"),
        (rf"[{HAN}]\.\.\.|\.\.\.[{HAN}]|[{HAN}]…(?!…)|(?<!…)…[{HAN}]", "an ellipsis is ……"),
        (rf"[{HAN}]—(?!—)(?<!——)|[{HAN}] ?–", "a dash is ——"),
    ),
}
LIST_MARK = re.compile(r"^\s*(?:[-*+]|\d+\.)\s+")
PAIRS = {"sv": ("”", "”"), "ru": ("«", "»"), "zh-CN": ("“", "”")}
ENGLISH_NUMBER = re.compile(r"(?<![\w.,/-])(\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+\.\d+)(?![\w,.]*\w)")
NAMED = re.compile(r"(?:[A-Z][\w-]*|section|version|chapter|equation|figure|table|arXiv:?)[  ]$")  # Python 3.11, section 3.2


def of_page(language, name, text, english=None):
    """The faults of a translated page, a list of Fault. english: the page that it translates, whose numbers show which separators are
    wrong."""
    ours = paragraphs(text, EMPHASIS)
    theirs = [words for *_, words in paragraphs(english)] if english is not None else []
    found = []
    for (line, kind, words), original in zip_longest(ours, theirs[: len(ours)]):
        found += [Fault(name, line, *one) for one in of_paragraph(language, LIST_MARK.sub("", words), original or "", kind == "table")]
    return found


def of_paragraph(language, words, original="", table=False):
    """[(what is wrong, where)] in one paragraph, or one row after another of a table."""
    if table:
        cells = [cell.strip() for row in words.splitlines() for cell in re.split(r"(?<!\\)\|", row)]
        return [one for cell in cells for one in of_paragraph(language, cell)] + separators(language, words, original)
    words = " ".join(words.split("\n"))
    found = [(what, around(words, match)) for pattern, what in RULES.get(language, ()) for match in re.finditer(pattern, words)]
    return found + unpaired(language, words) + separators(language, words, original)


def unpaired(language, words):
    """A quotation mark without its partner."""
    opening, closing = PAIRS.get(language, ("", ""))
    if not opening:
        return []
    odd = words.count(opening) % 2 if opening == closing else words.count(opening) != words.count(closing)
    return [(f"{opening}…{closing} do not come in pairs", words[:60])] if odd else []


def separators(language, words, original):
    """Numbers that are written as in English; those that belong to a name are."""
    if language not in ("sv", "ru"):
        return []
    english = {match[1] for match in ENGLISH_NUMBER.finditer(original) if not is_named(match, original)}
    hits = [match for number in sorted(english) for match in re.finditer(rf"(?<![\w.,]){re.escape(number)}(?![\w.,]*\d)", words)]
    return [("a number has the English separators", around(words, match)) for match in hits]


def is_named(match, original):
    """Whether a number in an English text belongs to a name, or is a version such as 9.0."""
    return bool(NAMED.search(original[: match.start()])) or match[1].endswith(".0")


def of_message(language, name, text, english):
    """The faults of a message to students."""
    return [Fault(name, 0, *one)
            for one in of_paragraph(language, words_of(re.sub(r"(?<!`)\{[^}]*\}(?!`)", OTHER, text)), words_of(english))]
