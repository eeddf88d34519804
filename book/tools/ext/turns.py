"""Begins with another page in each language.

Languages are built side by side, and one that comes to a shared cell which another one is computing has to wait: so they had better not come to
the same cell at the same time.
"""

from book.tools.languages import CODES


def in_turn(app, env, docnames: list[str]) -> None:
    """Sphinx's event, before pages are read: turns the list so that it begins elsewhere. What is built does not depend on the order."""
    begin = len(docnames) * CODES.index(app.config.book_language) // len(CODES)
    docnames[:] = docnames[begin:] + docnames[:begin]


def setup(app):
    app.connect("env-before-read-docs", in_turn)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
