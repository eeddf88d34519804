"""What a page says of itself to search engines and to those who share its address: a description, a title, a picture."""

from docutils import nodes

from book.tools.languages import LANGUAGES, language

LONGEST = 200  # characters that a description shows
PICTURE = "social.png"


def description(doctree) -> str:
    """The page's first paragraph, which in a chapter is the question that it answers, cut at a word."""
    first = next((node.astext() for node in doctree.findall(nodes.paragraph)), "") if doctree is not None else ""
    text = " ".join(first.split())
    return text if len(text) <= LONGEST else text[:LONGEST].rsplit(" ", 1)[0].rstrip(",;:–—") + "…"


def add_context(app, pagename, templatename, context, doctree) -> None:
    """Gives the template `page_description`, `page_address`, `page_picture` and the locales; addresses where the site's own is known."""
    here = language(app.config.book_language)
    base = app.config.html_baseurl
    context["page_description"] = description(doctree)
    context["page_address"] = f"{base}{pagename}.html" if base else ""
    context["page_picture"] = f"{base}_static/{PICTURE}" if base else ""
    context["page_locale"] = here.sphinx
    context["other_locales"] = [each.sphinx for each in LANGUAGES if each is not here]


def setup(app):
    app.connect("html-page-context", add_context)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
