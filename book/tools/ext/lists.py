"""Lists that are made from the course's own files: `{catalogue}`, the exercises' wrong solutions, and `{terms}`, the glossary."""

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.util.docutils import SphinxDirective

from autograder.assignment import ASSIGNMENTS
from autograder.messages import LOCALE
from book.tools import catalogue, glossary
from book.tools.languages import SOURCE


class Made(SphinxDirective):
    """A directive whose content is Markdown that `text` gives, made from the files in `sources`."""

    def run(self):
        for path in self.sources():
            self.env.note_dependency(str(path))
        box = nodes.container()
        self.state.nested_parse(StringList(self.text().splitlines(), self.get_source_info()[0]), 0, box)
        return [box]


class Catalogue(Made):
    """All exercises' wrong solutions."""

    def sources(self):
        return [*ASSIGNMENTS.glob("*/test_hidden.py"), *ASSIGNMENTS.glob("*/wrong/*.py"), *LOCALE.rglob("*.po")]

    def text(self):
        return catalogue.catalogue(self.config.book_language)


class Terms(Made):
    """The whole glossary. Each term has an address."""

    def run(self):
        boxes = super().run()
        items = [item for box in boxes for item in box.findall(nodes.list_item)]
        for item, row in zip(items, glossary.in_order(self.config.book_language), strict=True):
            item["ids"].append(glossary.anchor(row[SOURCE]))
            item["classes"].append("glossary-term")
        return boxes

    def sources(self):
        return [glossary.GLOSSARY, *sorted(glossary.DEFINITIONS.glob("*.csv"))]

    def text(self):
        return glossary.listed(self.config.book_language)


def setup(app):
    app.add_directive("catalogue", Catalogue)
    app.add_directive("terms", Terms)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
