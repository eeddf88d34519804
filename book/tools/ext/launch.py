"""The list `Run` above a chapter: in the reader's browser where that can be, on Colab, on Binder; always the notebook of that language.

Colab and Binder open notebooks out of a repository. The book's are made by its build, so they lie on a branch of their own, `notebooks`,
which the workflow that publishes the site fills (see `book/tools/notebook_branch.py`).
"""

import os
import re
from pathlib import Path
from urllib.parse import quote, urlsplit

import yaml
from sphinx.locale import _

from book.tools.lite import contents
from book.tools.paths import CONFIG

BRANCH = "notebooks"
GIVEN = re.compile(rf"exercises/[\w-]+/{contents.EXERCISE}/")  # on the page that sets the exercise


def repository() -> str:
    """`owner/name` on GitHub, from `_config.yml` or, where GitHub itself builds the book, from its environment; empty where neither says."""
    settings = yaml.safe_load(CONFIG.read_text(encoding="utf-8")).get("repository") or {}
    path = urlsplit(settings.get("url") or "").path.strip("/").removesuffix(".git")
    return path or os.environ.get("GITHUB_REPOSITORY", "")


def links(code: str, pagename: str, text: str, to_try: str) -> list[dict]:
    """What the list holds: words and an address for each way to run the page. `to_try` is where the language's `try/` lies."""
    from book.tools.notebooks import source_of  # takes a second to import, which a build that has nothing to do can save

    notebook = source_of(text)
    found = []
    if GIVEN.search(text):
        path = quote(f"{contents.EXERCISE}/{contents.EXERCISE}.ipynb")
        found.append({"name": _("The exercise in the browser"), "href": f"{to_try}notebooks/index.html?path={path}", "kind": "exercise"})
    if contents.runs_in_browser(notebook):
        found.append({"name": _("In the browser"), "href": f"{to_try}notebooks/index.html?path={quote(pagename)}.ipynb", "kind": "browser"})
    if contents.cells(notebook) and repository():
        colab = f"https://colab.research.google.com/github/{repository()}/blob/{BRANCH}/{code}/{pagename}.ipynb"
        binder = f"https://mybinder.org/v2/gh/{repository()}/{BRANCH}?labpath={quote(f'{code}/{pagename}.ipynb', safe='')}"
        found += [{"name": _("On Colab"), "href": colab, "kind": "colab"}, {"name": _("On Binder"), "href": binder, "kind": "binder"}]
    return found


def add_context(app, pagename, templatename, context, doctree) -> None:
    """Gives the templates `launch_links` on pages that are chapters."""
    if pagename in app.env.found_docs:
        text = Path(app.env.doc2path(pagename)).read_text(encoding="utf-8")
        up = "../" * pagename.count("/")
        context["launch_links"] = links(app.config.book_language, pagename, text, f"{up}try/")


def setup(app):
    app.connect("html-page-context", add_context)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
