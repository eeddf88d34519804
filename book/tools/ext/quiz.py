"""Makes the questions at the end of a chapter ones that a reader answers: choose an option, and see whether it is right, and why.

A question is a labelled paragraph, its options as a list, and a dropdown that explains each of them in the same order. Which option is
right is read from the explanations of the page itself, whatever its language: each begins in bold with the option's letter and a verdict,
and the right one's verdict is a fixed phrase (`VERDICT`, translated in `book/_locale`). Without JavaScript the dropdown stays as it is.
"""

import re

from docutils import nodes
from sphinx.locale import _
from sphinx.transforms.post_transforms import SphinxPostTransform

LABEL = re.compile(r"-question-\d+$")
VERDICT = "is right"
SCRIPT = "quiz.js"


class question(nodes.General, nodes.Element):
    """A question with its options and explanations; `right` counts from zero."""


def right_options(verdicts: list[str], phrase: str) -> list[int]:
    """Which of the explanations say that their option is right. Each verdict is the bold beginning of one: “A is right.”"""
    pattern = re.compile(rf"\w\s+{re.escape(phrase)}\W*")
    return [number for number, verdict in enumerate(verdicts) if pattern.fullmatch(" ".join(verdict.split()))]


def verdicts(explanations: nodes.bullet_list) -> list[str]:
    """The bold beginning of each explanation, or nothing where it begins otherwise."""
    first = [next(item.findall(nodes.strong), None) for item in explanations]
    return [strong.astext() if strong is not None else "" for strong in first]


class Questions(SphinxPostTransform):
    """Runs when references have been resolved (10) and before dropdowns become HTML (199)."""

    default_priority = 190
    formats = ("html",)

    def run(self, **kwargs) -> None:
        for asked in list(self.document.findall(nodes.paragraph)):
            if any(LABEL.search(each) for each in asked["ids"]):
                self.gather(asked)

    def gather(self, asked: nodes.paragraph) -> None:
        """Puts the paragraph, the list and the dropdown into one node, where exactly one option is right."""
        siblings = asked.parent.children
        begin = siblings.index(asked)
        parts = siblings[begin:begin + 3]
        if len(parts) < 3 or not isinstance(parts[1], nodes.bullet_list) or parts[2].get("design_component") != "dropdown":
            return
        explanations = next(parts[2].findall(nodes.bullet_list), None)
        if explanations is None or len(explanations) != len(parts[1]):
            return
        right = right_options(verdicts(explanations), _(VERDICT))
        if len(right) != 1:
            return
        asked.parent.insert(begin, box := question(right=right[0]))
        for part in parts:
            part.parent.remove(part)
            box += part


def visit(writer, node) -> None:
    writer.body.append(writer.starttag(node, "div", CLASS="question", **{"data-right": node["right"]}))


def add_script(app, pagename, templatename, context, doctree) -> None:
    """Only a page that asks something needs the script."""
    if doctree is not None and next(doctree.findall(question), None) is not None:
        app.add_js_file(SCRIPT, loading_method="defer")


def setup(app):
    app.add_node(question, html=(visit, lambda writer, node: writer.body.append("</div>\n")))
    app.add_post_transform(Questions)
    app.connect("html-page-context", add_script)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
