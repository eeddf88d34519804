"""Gives pictures that cells draw an alternative text: their caption, where the cell names no other (`mystnb: image: alt:`).

Without one the writer would put the picture's file name, which a screen reader spells out letter by letter. All pictures get their width
and height, too, so that the text does not jump when they arrive.
"""

import re
from pathlib import Path

import imagesize
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


SOURCE = re.compile(r'<img (?![^>]*\bwidth=)([^>]*?)src="([^"]*/)?_images/([^"]+)"')
WHEN_NEEDED = 'loading="lazy" decoding="async"'  # chapters are long: pictures come as the reader comes near them
LENGTH = r'\b{}="([\d.]+)(pt|px|)"'
PIXELS = {"pt": 4 / 3, "px": 1, "": 1}


def size(path: Path) -> tuple[int, int] | None:
    """Width and height of a picture in the pixels of style sheets, or None where it does not say."""
    if path.suffix != ".svg":
        found = imagesize.get(path)
        return found if min(found) > 0 else None
    head = re.search(r"<svg[^>]*>", path.read_text(encoding="utf-8"))
    lengths = [re.search(LENGTH.format(name), head[0]) for name in ("width", "height")] if head else [None]
    return tuple(round(float(each[1]) * PIXELS[each[2]]) for each in lengths) if all(lengths) else None


def add_sizes(app, pagename, templatename, context, doctree) -> None:
    """Writes the sizes into a page's text."""
    paths = {name: Path(app.srcdir) / path for path, name in app.builder.images.items()}

    def sized(match) -> str:
        found = size(paths[match[3]]) if match[3] in paths else None
        return match[0] + (f' width="{found[0]}" height="{found[1]}" {WHEN_NEEDED}' if found else "")

    if "body" in context:
        context["body"] = SOURCE.sub(sized, context["body"])


def setup(app):
    app.add_post_transform(AlternativeTexts)
    app.connect("html-page-context", add_sizes)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
