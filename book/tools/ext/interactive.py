"""`{interactive} NAME`: a figure that readers move. The page has a still picture and the data; scripts come only where a figure is."""

import json
from html import escape
from pathlib import Path

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

from book.tools.interactive import NAMES, figure
from book.tools.interactive.cells import Cells


class interactive(nodes.General, nodes.Element):
    """A figure, with its name and its HTML."""


class Interactive(SphinxDirective):
    """The directive; its argument is the figure's name."""

    required_arguments = 1

    def run(self):
        name = self.arguments[0]
        if name not in NAMES:
            raise self.error(f"there is no interactive figure {name!r}; there are {', '.join(NAMES)}")
        page = Path(self.env.doc2path(self.env.docname))
        made = figure(name)
        data = made.data(Cells(page), self.config.book_language)
        return [interactive("", name=name, html=markup(name, data, made.still(data)))]


def markup(name: str, data: dict, still: str) -> str:
    """The figure as it stands in the page."""
    title = f"interactive-{name}-title"
    kept = json.dumps(data, ensure_ascii=False, separators=(",", ":"), default=str).replace("<", "\\u003c")
    return (f'<div class="interactive" data-interactive="{name}" role="group" aria-labelledby="{title}">\n'
            f'<p class="interactive-title" id="{title}">{escape(str(data["text"]["title"]))}</p>\n'
            f'<div class="interactive-stage">{still}</div>\n'
            f'<script type="application/json">{kept}</script>\n</div>\n')


def add_scripts(app, pagename, templatename, context, doctree) -> None:
    """Gives a page the scripts of its figures, and no others."""
    names = dict.fromkeys(node["name"] for node in doctree.findall(interactive)) if doctree is not None else {}
    if not names:
        return
    app.add_css_file("interactive.css")
    app.add_js_file("interactive.js", loading_method="defer")
    for name in names:
        app.add_js_file(f"interactive-{name}.js", loading_method="defer", priority=850)


def visit(writer, node) -> None:
    writer.body.append(node["html"])


def skip(writer, node) -> None:
    raise nodes.SkipNode


def setup(app):
    app.add_node(interactive, html=(visit, lambda writer, node: None), latex=(skip, None), text=(skip, None))
    app.add_directive("interactive", Interactive)
    app.connect("html-page-context", add_scripts)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
