"""The language switcher: for every page, where the same page is in the other languages. `language-switcher.html` shows it."""

import os

from sphinx.errors import ConfigError

from book.tools import toc
from book.tools.languages import BY_CODE, LANGUAGES, SOURCE
from book.tools.paths import BOOK


def has_page(code: str, pagename: str) -> bool:
    """Whether that language has the page: a search page is made for every language, chapters where their file is there."""
    return pagename == "search" or (BOOK / code / f"{pagename}.md").is_file()


def links(app, pagename: str) -> list[dict]:
    """One entry a language, in the order of the course: code, name, href relative to the page, whether current, whether the same page.

    Where a language lacks the page, the link leads to its first one, whose list of contents says where the page is in English.
    """
    here = app.config.book_language
    depth = pagename.count("/") + 1
    entries = []
    for language in LANGUAGES:
        if not (BOOK / language.code).is_dir():
            continue
        same = has_page(language.code, pagename)
        target = pagename if same else toc.chapters()[0]
        href = os.path.basename(pagename) + ".html" if language.code == here else f"{'../' * depth}{language.code}/{target}.html"
        entries.append({"code": language.code, "name": language.name, "href": href, "current": language.code == here, "same": same,
                        "target": f"{language.code}/{target}.html"})
    return entries


def alternates(entries: list[dict], pagename: str, site: str, root: str = "../index.html") -> list[tuple[str, str]]:
    """(hreflang, address) for search engines: the languages that have the page, and where readers of any other language are to go.

    That is the English page, but for the first page: there the site's root asks for the language. `site` is the site's address, if known; otherwise addresses are those from the page,
    and `root` is that of the site's root.
    """
    there = [entry for entry in entries if entry["same"]]
    found = [(entry["code"], site + entry["target"] if site else entry["href"]) for entry in there]
    if pagename == toc.chapters()[0]:
        return [*found, ("x-default", site or root)]
    return [*found, *(("x-default", address) for code, address in found if code == SOURCE)]


def add_context(app, pagename, templatename, context, doctree) -> None:
    """Gives the templates `language_links` and `alternates` (hreflang, address)."""
    entries = links(app, pagename)
    site = app.config.html_baseurl[: -len(app.config.book_language) - 1] if app.config.html_baseurl else ""
    context["language_links"] = entries
    context["language_name"] = BY_CODE[app.config.book_language].name
    context["alternates"] = alternates(entries, pagename, site)


def check(app, config) -> None:
    """Without its language the switcher would point nowhere."""
    if config.book_language not in BY_CODE:
        raise ConfigError(f"book_language is {config.book_language!r}; it must be one of {', '.join(BY_CODE)}")


def setup(app):
    app.add_config_value("book_language", "", "env", types=[str])
    app.connect("config-inited", check)
    app.connect("html-page-context", add_context)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
