"""Offers every page as a notebook: writes `notebooks/<page>.ipynb` beside the pages and tells the templates where it is."""

import re
from pathlib import Path

from docutils import nodes
from sphinx.errors import ExtensionError
from sphinx.locale import _, admonitionlabels

from book.tools import originals
from book.tools import catalogue, glossary
from book.tools.ext import bibliography
from book.tools.markdown import ConversionError
from book.tools.notebooks import dump, to_notebook

FOLDER = "notebooks"


class BookReferences:
    """What the labels of one page stand for, from what Sphinx has read. See `book.tools.markdown.References`."""

    def __init__(self, app, docname: str) -> None:
        self.app, self.env, self.docname = app, app.env, docname
        self.labels = self.env.get_domain("std").labels
        self.equations = self.env.get_domain("math").equations
        self.cite = self.env.get_domain("cite")
        self.language = app.config.book_language

    def section(self, label: str) -> tuple[str, bool]:
        if label.lower() not in self.labels:
            return originals.section(self.language, label)[1], False
        docname, _anchor, title = self.labels[label.lower()]
        return title, docname == self.docname

    def equation(self, label: str) -> str:
        if label not in self.equations:
            return originals.equation(self.language, label)[1]
        docname, number = self.equations[label]
        numbers = self.env.toc_fignumbers.get(docname, {}).get("displaymath", {}).get(nodes.make_id(f"equation-{label}"))
        return ".".join(map(str, numbers)) if numbers else str(number)

    def numbered(self, label: str) -> str:
        docname, anchor, _title = self.env.get_domain("std").anonlabels[label.lower()][:2] + ("",)
        for kind in ("figure", "table", "code-block"):
            numbers = self.env.toc_fignumbers.get(docname, {}).get(kind, {}).get(anchor)
            if numbers:
                return self.app.config.numfig_format[kind] % ".".join(map(str, numbers))
        raise KeyError(label)

    def page(self, name: str) -> str:
        title = self.env.titles.get(name.removeprefix("/"))
        return title.astext() if title else originals.page(self.language, name.removeprefix("/")).title

    def entry(self, key: str):
        return self.cite.bibdata.data.entries[key]

    def citation(self, role: str, key: str) -> tuple[str, str]:
        entry = self.entry(key)
        people = entry.persons.get("author") or entry.persons.get("editor") or []
        who = bibliography.cited(people) or key
        year = entry.fields.get("year", "")
        return (f"{who} ({year})" if role.startswith("cite:t") else f"{who}, {year}"), address(entry)

    def made(self, name: str) -> str:
        language = self.app.config.book_language
        if name == "interactive":
            return str(_("On the course's site there is a figure here that you can move."))
        return catalogue.catalogue(language) if name == "catalogue" else glossary.listed(language)

    def bibliography(self) -> list[str]:
        cited = sorted({(ref.docname, key) for ref in self.cite.citation_refs for key in (target.key for target in ref.targets)})
        keys = [key for docname, key in cited if docname == self.docname]
        formatted = {each.key: each.formatted_entry for each in self.cite.citations}
        lines = [formatted[key].text.render_as("markdown").replace("\n", " ") for key in keys if key in formatted]
        return sorted(re.sub(r"\\([-.:()])", r"\1", line) for line in lines)  # escaped where it need not be

    def admonition(self, kind: str) -> str:
        return str(admonitionlabels.get(kind, admonitionlabels["note"]))


def address(entry) -> str:
    """Where a source can be read: its URL, or what its DOI leads to."""
    if entry.fields.get("url"):
        return entry.fields["url"]
    return f"https://doi.org/{entry.fields['doi']}" if entry.fields.get("doi") else ""


def add_context(app, pagename, templatename, context, doctree) -> None:
    """Gives the templates `notebook_download`, the address of the page's notebook, on pages that are chapters."""
    if pagename in app.env.found_docs:
        context["notebook_download"] = context["pathto"](f"{FOLDER}/{pagename}.ipynb", 1)


def write(app, exception) -> None:
    """Writes the notebooks once everything has been read and numbered."""
    if exception:
        return
    for docname in sorted(app.env.found_docs):
        source = Path(app.env.doc2path(docname))
        try:
            notebook = to_notebook(source.read_text(encoding="utf-8"), BookReferences(app, docname), source.parent)
        except ConversionError as error:
            raise ExtensionError(f"{source.name} as a notebook: {error}") from None
        target = Path(app.outdir) / FOLDER / f"{docname}.ipynb"
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(dump(notebook), encoding="utf-8")


def setup(app):
    app.connect("html-page-context", add_context)
    app.connect("build-finished", write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
