"""Figures that readers move: for each a still picture for the page, and the data with which a script brings it to life.

A module here is one figure. It has

    data(cells, language)   what the script needs, as JSON takes it; numbers come from the page's own cells
    still(data)             the picture, as HTML, that stands on the page before the script and without it

`{interactive} NAME` in a chapter puts both there (`book.tools.ext.interactive`); `book/_static/interactive-NAME.js` moves it.
"""

from importlib import import_module

NAMES = ("attention", "split", "online", "cache", "configurator")


def figure(name: str):
    """The module of a figure; KeyError where there is none."""
    if name not in NAMES:
        raise KeyError(name)
    return import_module(f"{__name__}.{name}")
