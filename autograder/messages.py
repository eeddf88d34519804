"""Messages to students: written once in English, translated by gettext catalogues, quoted and cut where they hold a student's own text."""

import functools
import unicodedata
from dataclasses import dataclass, field
from pathlib import Path

from babel.messages.pofile import read_po
from babel.support import NullTranslations

from autograder.languages import DEFAULT, LANGUAGES, catalogue_name

LOCALE = Path(__file__).parent / "locale"
DOMAIN = "autograder"
LIMIT = 2000  # characters of a message
QUOTE_LIMIT = 300  # characters of a student's own text inside one


@dataclass(frozen=True)
class Message:
    """A sentence to be said in the student's language: an English text with {placeholders}, and what fills them.

    With `plural`, the number that decides between `text` and `plural` is the placeholder {n}.
    """

    text: str
    values: dict = field(default_factory=dict, hash=False)  # a dict has no hash; what holds a message can have one all the same
    plural: str | None = None

    def say(self, language=DEFAULT):
        """The sentence in a language. A value that is itself a Message is said in that language too."""
        translate = translations(language)
        pattern = translate.ngettext(self.text, self.plural, self.values["n"]) if self.plural else translate.gettext(self.text)
        values = {name: value.say(language) if isinstance(value, Message) else value for name, value in self.values.items()}
        return clean(pattern.format(**values) if values else pattern)

    def __str__(self):
        return self.say()


def message(text, /, **values):
    """A message with one form; the text is found and put into the catalogue by its name."""
    return Message(text, values)


def messages(text, plural, n, /, **values):
    """A message whose form depends on the number n."""
    return Message(text, {"n": n, **values}, plural)


@functools.cache
def translations(language):
    """The catalogue of a language, read from its .po file; English needs none. Raises ValueError for an unknown language."""
    if language not in LANGUAGES:
        raise ValueError(f"there is no language {language!r}; there are: {', '.join(LANGUAGES)}")
    path = LOCALE / catalogue_name(language) / "LC_MESSAGES" / f"{DOMAIN}.po"
    if language == DEFAULT or not path.exists():
        return NullTranslations()
    with path.open("rb") as file:
        return _Catalogue(read_po(file, locale=catalogue_name(language)))


class _Catalogue(NullTranslations):
    """A .po file as gettext's interface, without compiling it first."""

    def __init__(self, catalogue):
        super().__init__()
        self.catalogue = catalogue

    def gettext(self, text):
        entry = self.catalogue.get(text)
        return entry.string if entry and entry.string and not entry.fuzzy else text

    def ngettext(self, text, plural, n):
        entry = self.catalogue.get(text)
        if not entry or entry.fuzzy or not all(entry.string):
            return text if n == 1 else plural
        return entry.string[plural_index(self.catalogue.plural_expr, n)]


@functools.cache
def _plural_rule(expression):
    from gettext import c2py  # the standard library's own reader of plural rules

    return c2py(expression)


def plural_index(expression, n):
    """Which plural form a number takes, by the rule in the catalogue's head."""
    return int(_plural_rule(expression)(n))


def clean(text):
    """A text without control and direction characters (new lines stay), at most LIMIT characters long."""
    kept = "".join(c for c in text if c == "\n" or unicodedata.category(c) not in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"))
    return kept if len(kept) <= LIMIT else kept[: LIMIT - 1] + "…"


def quoted(text):
    """A student's own text, as it may stand inside a message: one line, cleaned, cut."""
    line = clean(" ".join(str(text).split()))
    return line if len(line) <= QUOTE_LIMIT else line[: QUOTE_LIMIT - 1] + "…"
