"""Translates the captions of the parts in `_toc.yml`, which is one file for all languages. The translations stand in `book/_locale`."""

from sphinx import addnodes
from sphinx.locale import _
from sphinx.transforms import SphinxTransform


class TranslateCaptions(SphinxTransform):
    """Runs right after sphinx-external-toc has put the tables of contents into the root page (100)."""

    default_priority = 101

    def apply(self, **kwargs) -> None:
        for tree in self.document.findall(addnodes.toctree):
            if tree.get("caption"):
                tree["caption"] = tree["rawcaption"] = _(tree["caption"])


def setup(app):
    app.add_transform(TranslateCaptions)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
