"""Keeps a formula and the sign that follows it, or the bracket before it, on one line, and short code whole.

A formula is a box to the browser, and it may begin a line after any box, even with a full stop; and it breaks `--seed` after a hyphen.
"""

import re

from docutils import nodes
from sphinx.transforms.post_transforms import SphinxPostTransform

OPENING = re.compile(r"[(\[«„“”‘（《「『]+$")
CLOSING = re.compile(r"^(?:[.,;:!?…)\]»“”’%、，。；：！？）》」』]+|\u00a0[—–])")
SHORT = 24  # characters: half a line of a phone


class KeepTogether(SphinxPostTransform):
    """Runs when all references have been resolved."""

    default_priority = 900

    def run(self, **kwargs) -> None:
        for formula in list(self.document.findall(nodes.math)):
            wrap(formula)
        for code in self.document.findall(nodes.literal):
            if "-" in code.astext() and len(code.astext()) <= SHORT:
                code["classes"].append("unbroken")


def wrap(formula: nodes.math) -> None:
    """Puts a formula into a span together with the signs that stand against it, if any do."""
    parent = formula.parent
    at = parent.index(formula)
    before = OPENING.search(parent[at - 1]) if at and isinstance(parent[at - 1], nodes.Text) else None
    after = CLOSING.match(parent[at + 1]) if at + 1 < len(parent) and isinstance(parent[at + 1], nodes.Text) else None
    if not before and not after:
        return
    whole = nodes.inline("", "", classes=["unbroken"])
    parent.replace(formula, whole)
    if before:
        text = parent[at - 1]
        parent.replace(text, nodes.Text(text[: before.start()]))
        whole += nodes.Text(before[0])
    whole += formula
    if after:
        text = parent[at + 1]
        parent.replace(text, nodes.Text(text[after.end() :]))
        whole += nodes.Text(after[0])


def setup(app):
    app.add_post_transform(KeepTogether)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
