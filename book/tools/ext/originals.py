"""For a language that lacks pages: the list of those that are there in English, links that lead to them, and chapters that keep their
numbers."""

from docutils import nodes
from sphinx import addnodes
from sphinx.locale import _
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx_external_toc.collectors import TocTreeCollectorWithStyles

from book.tools import originals, toc


def add_context(app, pagename, templatename, context, doctree) -> None:
    """Gives the templates `in_english`: number, title and address of each page that the language lacks."""
    context["in_english"] = [{"number": page.number, "title": page.title, "href": page.address(pagename)}
                             for page in originals.lacking(app.config.book_language)]


def resolve(app, env, node, contnode):
    """A reference to a label, formula or page that is there in English alone becomes a link to it."""
    code, target = app.config.book_language, node["reftarget"]
    try:
        if node["reftype"] == "eq":
            page, number = originals.equation(code, target)
            text, anchor = f"({number})", nodes.make_id(f"equation-{target}")
        elif node["reftype"] == "doc":
            page = originals.page(code, target.removeprefix("/"))
            text, anchor = page.title, ""
        else:
            page, text = originals.section(code, target.removeprefix("#"))
            anchor = originals.anchor(target.removeprefix("#"))
    except KeyError:
        return None
    inner = contnode if node.get("refexplicit") and node["reftype"] != "eq" else nodes.inline(text, text)
    return nodes.reference("", "", inner, refuri=page.address(node.get("refdoc", env.docname), anchor), internal=False,
                           reftitle=_("in English"))


class MarkdownLinks(SphinxPostTransform):
    """Links written `[text](#label)` and `[text](page.md)`, which MyST resolves by itself (at 9) without asking for what is missing."""

    default_priority = 8

    def run(self, **kwargs) -> None:
        for node in list(self.document.findall(addnodes.pending_xref)):
            known = self.env.get_domain("std").anonlabels.keys() | self.env.found_docs
            if node["reftype"] != "myst" or node["reftarget"] in known:
                continue
            is_page = node["reftarget"].endswith(".md")
            asked = addnodes.pending_xref("", reftype="doc" if is_page else "ref", reftarget=node["reftarget"].removesuffix(".md"),
                                          refexplicit=bool(node.astext()), refdoc=node.get("refdoc", self.env.docname))
            link = resolve(self.app, self.env, asked, node[0].deepcopy())
            if link is not None:
                node.replace_self(link)


def keep_numbers() -> None:
    """Lets chapters have the numbers that they have where none is missing."""
    assign = TocTreeCollectorWithStyles.assign_section_numbers
    if getattr(assign, "keeps_numbers", False):
        return

    def assign_and_keep(self, env):
        changed = assign(self, env)
        for docname, number in toc.numbers().items():
            if docname not in env.toc_secnumbers:
                continue
            env.toc_secnumbers[docname] = {anchor: (number, *each[1:]) if each else each
                                           for anchor, each in env.toc_secnumbers[docname].items()}
            for element in [env.titles[docname], *env.tocs[docname].findall(nodes.reference)]:
                if element.get("secnumber"):
                    element["secnumber"] = [number, *element["secnumber"][1:]]
        return changed

    assign_and_keep.keeps_numbers = True
    TocTreeCollectorWithStyles.assign_section_numbers = assign_and_keep


def setup(app):
    keep_numbers()
    app.connect("html-page-context", add_context)
    app.connect("missing-reference", resolve)
    app.add_post_transform(MarkdownLinks)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
