"""Mends what the theme and the extensions put into pages: a script twice, words that stay English in every language."""

import json
from pathlib import Path

from sphinx.errors import ExtensionError
from sphinx.locale import _

# Where sphinx-copybutton's script has its messages and has not yet chosen among them. It knows few languages.
COPYBUTTON_CHOICE = "let locale = 'en'\n"
MENDED = (
    # an English label; the words that are seen say it in the page's language
    ('<summary aria-label="Toggle hidden content">', "<summary>"),
    ('role="doc-biblioentry"', 'role="listitem"'),  # a role that there is no more, inside a list
    ('<th class="head"><p></p></th>', "<td></td>"),  # an empty corner of a table is no heading
)


def once(app, pagename, templatename, context, doctree) -> None:
    """Leaves one of each script and style sheet: the theme names one script twice, and it throws on its second run."""
    for kind, ending in (("script_files", ".js"), ("css_files", ".css")):
        seen, kept = set(), []
        for asset in context.get(kind, []):
            name = str(getattr(asset, "filename", None) or "").partition("?")[0]
            if name and (name in seen or not name.endswith(ending)):
                continue
            seen.add(name)
            kept.append(asset)
        context[kind][:] = kept


def mend_body(app, pagename, templatename, context, doctree) -> None:
    """Mends what is said to screen readers in a page's text, see MENDED."""
    for wrong, right in MENDED if "body" in context else ():
        context["body"] = context["body"].replace(wrong, right)


def translate_copybutton(app, exception) -> None:
    """Adds the language's own words to the copy button's script."""
    if exception:
        return
    script = Path(app.outdir) / "_static" / "copybutton.js"
    source = script.read_text(encoding="utf-8")
    if COPYBUTTON_CHOICE not in source:
        raise ExtensionError(f"{script.name} does not choose its language as it used to; mend {__name__}")
    words = {"copy": _("Copy"), "copy_to_clipboard": _("Copy to clipboard"),
             "copy_success": _("Copied!"), "copy_failure": _("Failed to copy")}
    table = json.dumps({name: str(text) for name, text in words.items()}, ensure_ascii=False)
    added = f"messages[document.documentElement.lang] = {table};\n\n"
    script.write_text(source.replace(COPYBUTTON_CHOICE, added + COPYBUTTON_CHOICE), encoding="utf-8")


def setup(app):
    app.add_config_value("comments_config", {}, "html")  # Jupyter Book always sets it, for an extension that is not used here
    app.connect("html-page-context", once, priority=900)
    app.connect("html-page-context", mend_body, priority=900)
    app.connect("build-finished", translate_copybutton)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
