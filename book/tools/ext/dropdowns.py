"""Turns an admonition of class `dropdown` into `<details>`, which opens without JavaScript and by keyboard."""

from docutils import nodes
from sphinx.transforms.post_transforms import SphinxPostTransform


class details(nodes.General, nodes.Element):
    """`<details>`; its first child is the `summary`."""


class summary(nodes.General, nodes.TextElement):
    """The line that is always seen."""


class Dropdowns(SphinxPostTransform):
    """Replaces the admonitions when pages are written; what is read from them (search, numbering) stays as it is."""

    default_priority = 800
    formats = ("html",)

    def run(self, **kwargs) -> None:
        for box in list(self.document.findall(nodes.admonition)):
            if "dropdown" not in box["classes"]:
                continue
            title, *content = box.children
            classes = ["admonition", *(each for each in box["classes"] if each != "admonition")]
            box.replace_self(details("", summary(title.rawsource, "", *title.children), *content, classes=classes, ids=box["ids"],
                                     opened="open" in box["classes"]))


def visit_details(writer, node) -> None:
    writer.body.append(writer.starttag(node, "details", **({"open": "open"} if node["opened"] else {})))


def visit_summary(writer, node) -> None:
    writer.body.append(writer.starttag(node, "summary", "", CLASS="admonition-title"))


def setup(app):
    app.add_node(details, html=(visit_details, lambda writer, node: writer.body.append("</details>\n")))
    app.add_node(summary, html=(visit_summary, lambda writer, node: writer.body.append("</summary>\n")))
    app.add_post_transform(Dropdowns)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
