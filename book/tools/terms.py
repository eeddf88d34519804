"""Whether a translation keeps to the glossary, `book/glossary.csv`, and to the list of what must not be said, `book/avoid.csv`.

Words are compared by their beginnings, since languages inflect them. A page has to use the glossary's term where its English uses the term
in several paragraphs; what it may not say instead is a regular expression with a reason to prefer something else.
"""

import csv
import re
from itertools import zip_longest

from book.tools.blocks import parse
from book.tools.glossary import terms
from book.tools.languages import SOURCE
from book.tools.paths import BOOK
from book.tools.prose import LATIN, OTHER, Fault, around, words_of

AVOID = BOOK / "avoid.csv"
PARAGRAPHS = 3  # so many that speak of something name it once at least
VERB = "also a verb"  # the note of a term whose English word says other things, too
SHORTEST = 4  # letters of a word that are compared


def avoided(language):
    """[(pattern, what to say instead)] of a language."""
    with AVOID.open(encoding="utf-8", newline="") as file:
        return [(row["pattern"], row["instead"]) for row in csv.DictReader(file) if row["language"] == language]


def of_page(language, name, text, english):
    """The faults of a translated page, a list of Fault."""
    pairs = [(theirs, ours) for ours, theirs in zip_longest(parse(text), parse(english)) if ours is not None and theirs is not None
             and ours.is_prose]
    found = [fault for _, ours in pairs for fault in of_text(language, name, ours.line, words_of(ours.text))]
    words = [(words_of(theirs.text), words_of(ours.text)) for theirs, ours in pairs]
    for row in terms():
        if row["note"] == VERB:
            continue
        longer = [other[SOURCE] for other in terms() if row[SOURCE] in other[SOURCE] and other is not row and other[SOURCE] != row[SOURCE]]
        spoken = [one for one in words if speaks_of(row[SOURCE], one[0], longer)]
        if len(spoken) >= PARAGRAPHS and not any(says(row[language], ours) for _, ours in spoken):
            what = f"the English speaks of {row[SOURCE]} in {len(spoken)} paragraphs, and the glossary's {row[language]} is in none of them"
            found.append(Fault(name, pairs[0][1].line, what, spoken[0][1].strip()[:60]))
    return found


def of_text(language, name, line, words):
    """What must not be said, in a paragraph or a message."""
    hits = [(match, instead) for pattern, instead in avoided(language) for match in re.finditer(pattern, words, re.IGNORECASE)]
    return [Fault(name, line, f"say {instead}", around(words, match)) for match, instead in hits]


def of_message(language, name, text):
    """The faults of a message to students."""
    return of_text(language, name, 0, words_of(text))


def speaks_of(term, words, longer=()):
    """Whether an English paragraph uses a term, in the singular or plural, and not only inside longer terms."""
    for each in sorted(longer, key=len, reverse=True):
        words = re.sub(re.escape(each), OTHER, words, flags=re.IGNORECASE)
    return re.search(rf"\b{re.escape(term)}(?:e?s)?\b", words.replace(LATIN, " "), re.IGNORECASE) is not None


def says(entry, words):
    """Whether a paragraph uses a glossary's entry, in whatever form: its main words or the explanation in its brackets."""
    variants = [part for part in re.split(r"[（(）)]", entry) if part.strip(" :")]
    return any(re.search(inflected(part.strip()), words, re.IGNORECASE) for part in variants)


def inflected(phrase):
    """A pattern for a phrase in any inflection: each word's beginning, its ending free."""
    return r"[\s-]+".join(re.escape(stem(word)) + r"\w*" for word in phrase.split())


def stem(word):
    """The beginning of a word that inflection leaves alone; Chinese has no endings."""
    if not word.isascii() and re.search(r"[\u3400-\u9fff]", word):
        return word
    return word[: max(SHORTEST, len(word) - 3)]
