"""The student's language: the catalogue that lies beside this file, or English where none does."""

import gettext
from pathlib import Path


def _read(path):
    if not path.exists():
        return gettext.NullTranslations()
    with path.open("rb") as file:
        return gettext.GNUTranslations(file)


_catalogue = _read(Path(__file__).with_name("messages.mo"))


def _(text):
    """A text in the student's language."""
    return _catalogue.gettext(text) if text else ""


def ngettext(one, many, n):
    """A text in the student's language, in the form that the number n asks for."""
    return _catalogue.ngettext(one, many, n)
