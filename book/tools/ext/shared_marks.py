"""Takes the line `# shared` off the code that a page shows: it tells the build something, and readers nothing."""

from docutils import nodes
from sphinx.transforms import SphinxTransform

from book.tools.shared_cells import without_mark


class HideMarks(SphinxTransform):
    """Runs once the cells stand in the page as blocks of code."""

    default_priority = 400

    def apply(self, **kwargs) -> None:
        for block in self.document.findall(nodes.literal_block):
            text = block.astext()
            shown = without_mark(text)
            if shown != text:
                block.rawsource = shown
                block.children = []
                block += nodes.Text(shown)


def setup(app):
    app.add_transform(HideMarks)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
