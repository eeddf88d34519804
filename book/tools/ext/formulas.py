"""Puts formulas into pages as MathML, set when the book is built: no script has to run before they can be read."""

from docutils import nodes
from sphinx.locale import _
from sphinx.util import logging
from sphinx.util.math import get_node_equation_number

from book.tools.formulas import FormulaError, mathml

logger = logging.getLogger(__name__)
CLASS = "math notranslate nohighlight"
FONT = "math.woff2"


def convert(node, display: bool) -> str:
    """A node's formula; what is wrong with it is a warning, and so fails the build."""
    try:
        return mathml(node.astext(), display)
    except FormulaError as error:
        logger.warning("the formula %r: %s", node.astext(), error, location=node)
        return ""


def visit_inline(writer, node: nodes.math) -> None:
    writer.body.append(f"{writer.starttag(node, 'span', '', CLASS=CLASS)}{convert(node, False)}</span>")
    raise nodes.SkipNode


def visit_block(writer, node: nodes.math_block) -> None:
    """The formula in a box of its own, which scrolls where the page is narrow, and its number."""
    writer.body.append(writer.starttag(node, "div", CLASS=CLASS))
    if node["number"]:
        writer.body.append(f'<span class="eqno">({get_node_equation_number(writer, node)})')
        writer.add_permalink_ref(node, _("Link to this equation"))
        writer.body.append("</span>")
    writer.body.append(f'<div class="formula">{convert(node, True)}</div></div>\n')
    raise nodes.SkipNode


def setup(app):
    app.add_html_math_renderer("mathml", (visit_inline, None), (visit_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
