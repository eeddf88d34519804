"""Gives a section its explicit label as address, in place of one made of its heading.

Headings are translated, labels are not: with `(why-scale)=` above it a section is `#why-scale` in every language, and a reader who changes
language stays at the same section.
"""

from docutils import nodes
from sphinx.transforms import SphinxTransform


class LabelsFirst(SphinxTransform):
    """Moves the ids of explicit labels to the front; the first id is the one that links and the table of contents use."""

    default_priority = 870  # after labels have reached their sections (260), before the tables of contents are collected (880)

    def apply(self, **kwargs) -> None:
        explicit = {self.document.nameids.get(name) for name, given in self.document.nametypes.items() if given}
        for section in self.document.findall(nodes.section):
            section["ids"].sort(key=lambda each: each not in explicit)


def setup(app):
    app.add_transform(LabelsFirst)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
