"""Gives pictures that cells draw an alternative text: their caption, where the cell names no other (`mystnb: image: alt:`).

Without one the writer would put the picture's file name, which a screen reader spells out letter by letter.
"""

from docutils import nodes
from sphinx.locale import _
from sphinx.transforms.post_transforms import SphinxPostTransform


class AlternativeTexts(SphinxPostTransform):
    """Runs after notebooks' outputs have been put into the page."""

    default_priority = 700

    def run(self, **kwargs) -> None:
        for image in self.document.findall(nodes.image):
            if "alt" not in image:
                image["alt"] = self.caption(image) or _("Figure")

    @staticmethod
    def caption(image: nodes.image) -> str:
        """The caption of the figure that the image stands in, or nothing."""
        figure = image.parent
        while figure is not None and not isinstance(figure, nodes.figure):
            figure = figure.parent
        caption = next(figure.findall(nodes.caption), None) if figure is not None else None
        return caption.astext() if caption is not None else ""


def setup(app):
    app.add_post_transform(AlternativeTexts)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
