"""Texts from results, made fit to be shown."""

import re
import unicodedata

from markupsafe import Markup, escape

INVISIBLE = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")
JOINERS = "\u200c\u200d"  # names in Persian, Hindi and others are spelt with them


def visible(text):
    """A name on one line. What cannot be seen, or turns the direction of writing, is spelt out as \\u202e is; so two names stay two."""
    return "".join(c if c in JOINERS or unicodedata.category(c) not in INVISIBLE else _spelt(c) for c in text)


def _spelt(character):
    code = ord(character)
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def marked_up(text):
    """Escaped text, with what stands between backticks as code."""
    return Markup(re.sub(r"`([^`\n]+)`", r"<code>\1</code>", str(escape(text))))


def cut(text, longest):
    """A text of at most `longest` characters."""
    return text if len(text) <= longest else text[: longest - 1] + "…"


def points(number):
    """A number of points: 8.25, 10, 0."""
    return f"{number:.2f}".rstrip("0").rstrip(".")


def seconds(number):
    """A time in seconds, with the digits that it deserves."""
    return f"{number:.2f} s" if number < 10 else f"{number:.1f} s" if number < 100 else f"{number:.0f} s"


def size(number):
    """A number of bytes in MiB or GiB."""
    mebibytes = number / (1 << 20)
    return f"{mebibytes:.0f} MiB" if mebibytes < 1000 else f"{mebibytes / 1024:.1f} GiB"


def percent(part, whole):
    """A share in whole per cent; 99.6 is no 100, and 0.4 no 0."""
    if not whole:
        return "–"
    share = 100 * part / whole
    return f"{min(99, max(1, round(share))) if 0 < share < 100 else round(share)} %"


def counted(number, one, many):
    """1 student, 2 students."""
    return f"{number} {one if number == 1 else many}"
