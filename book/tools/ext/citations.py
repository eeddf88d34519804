"""Says “et al.” and “and” between authors' names in the page's language; the extension for citations knows English alone."""

from docutils import nodes
from sphinx.locale import _
from sphinx.transforms.post_transforms import SphinxPostTransform


class TranslateNames(SphinxPostTransform):
    """Runs after citations have been put in (sphinxcontrib-bibtex resolves them with all other references, at 10)."""

    default_priority = 20

    def run(self, **kwargs) -> None:
        for citation in self.document.findall(lambda node: isinstance(node, nodes.inline) and "bibtex-citation" in node["classes"]):
            for text in list(citation.findall(nodes.Text)):
                if text.strip() == "et al.":
                    text.parent.replace(text, nodes.Text(text.replace("et al.", _("et al."))))
                elif " and " in text:
                    text.parent.replace(text, nodes.Text(text.replace(" and ", f" {_('and')} ")))


def setup(app):
    app.add_post_transform(TranslateNames)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
