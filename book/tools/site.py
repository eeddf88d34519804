"""Puts the languages' pages together to the site: `_build/site/` with a first page and one folder a language."""

import html
import shutil
from pathlib import Path
from string import Template

from book.tools import picture, toc
from book.tools.ext.social import PICTURE
from book.tools.ext.switcher import alternates
from book.tools.languages import Language
from book.tools.lite import put
from book.tools.paths import BUILD, SITE, STATIC, TEMPLATES

REDIRECT = Template("""\
<!DOCTYPE html>
<html lang="$code">
<head>
<meta charset="utf-8">
<meta http-equiv="refresh" content="0; url=$page">
<link rel="canonical" href="$whole">
<title>$title</title>
</head>
<body><p><a href="$page">$title</a></p></body>
</html>
""")


def first_page(language: Language) -> str:
    """The address of the language's first page, inside its folder."""
    return f"{toc.chapters()[0]}.html"


def address_of(base_url: str) -> str:
    """The site's address with its slash, or nothing where it is not known: what whole addresses begin with."""
    return f"{base_url.rstrip('/')}/" if base_url else ""


def root_page(built: list[Language], base_url: str = "") -> str:
    """The page at the site's root: the languages, each in its own words. Its links for search engines are those of the languages' first
    pages (`book/tools/ext/switcher.py`)."""
    items = "\n".join(
        f'      <li><a href="{each.code}/{first_page(each)}" lang="{each.code}" hreflang="{each.code}" data-language="{each.code}">'
        f"<strong>{html.escape(each.name)}</strong> <span>{html.escape(each.title)}</span></a></li>"
        for each in built
    )
    entries = [{"code": each.code, "href": page, "target": page, "same": True} for each in built if (page := f"{each.code}/{first_page(each)}")]
    addresses = alternates(entries, toc.chapters()[0], address_of(base_url), "index.html")
    links = "\n".join(f'<link rel="alternate" hreflang="{code}" href="{address}">' for code, address in addresses)
    return Template((TEMPLATES / "site-index.html").read_text(encoding="utf-8")).substitute(items=items, alternates=links)


def not_found(built: list[Language], base_url: str) -> str:
    """The page for addresses that lead nowhere, in every language. Its links hold at any depth, so they begin at the site's address."""
    items = "\n".join(
        f'    <p lang="{each.code}">{html.escape(each.not_found)} '
        f'<a href="{each.code}/{first_page(each)}">{html.escape(each.title)}</a></p>' for each in built
    )
    return Template((TEMPLATES / "not-found.html").read_text(encoding="utf-8")).substitute(items=items, base=address_of(base_url) or "/")


def site_map(folder: Path, built: list[Language], base_url: str) -> str:
    """All pages with their other languages, for search engines, and with the page for readers of none of these as the pages name it."""
    site = address_of(base_url)
    entries = []
    for name in toc.chapters():
        there = [{"code": each.code, "target": f"{each.code}/{name}.html", "same": True} for each in built
                 if (folder / each.code / f"{name}.html").is_file()]
        links = "".join(f'<xhtml:link rel="alternate" hreflang="{code}" href="{address}"/>'
                        for code, address in alternates(there, name, site))
        entries += [f"<url><loc>{site}{each['target']}</loc>{links}</url>" for each in there]
    head = '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:xhtml="http://www.w3.org/1999/xhtml">'
    return "\n".join(['<?xml version="1.0" encoding="UTF-8"?>', head, *entries, "</urlset>", ""])


def assemble(built: list[Language], folder: Path = SITE, base_url: str = "", python: str = "local") -> None:
    """Makes the site anew beside the old one and then puts it in its place, so that a reader never meets half of one."""
    fresh, old = folder.with_name(folder.name + ".new"), folder.with_name(folder.name + ".old")
    for leftover in (fresh, old):
        shutil.rmtree(leftover, ignore_errors=True)
    fresh.mkdir(parents=True)
    for each in built:
        shutil.copytree(BUILD / each.code / "html", fresh / each.code)
        page = first_page(each)
        whole = f"{address_of(base_url)}{each.code}/{page}" if base_url else page
        redirect = REDIRECT.substitute(code=each.code, title=html.escape(each.title), page=page, whole=whole)
        (fresh / each.code / "index.html").write_text(redirect, encoding="utf-8")
        shutil.copy(picture.drawn(each.title), fresh / each.code / "_static" / PICTURE)
    (fresh / "index.html").write_text(root_page(built, base_url), encoding="utf-8")
    (fresh / "404.html").write_text(not_found(built, base_url), encoding="utf-8")
    if base_url:
        (fresh / "sitemap.xml").write_text(site_map(fresh, built, base_url), encoding="utf-8")
        (fresh / "robots.txt").write_text(f"User-agent: *\nAllow: /\nSitemap: {address_of(base_url)}sitemap.xml\n", encoding="utf-8")
    shutil.copy(STATIC / "favicon.svg", fresh)
    put.put(fresh, built, python, first_page)
    (fresh / ".nojekyll").touch()  # GitHub Pages would leave out folders that begin with _
    if folder.exists():
        folder.rename(old)
    fresh.rename(folder)
    shutil.rmtree(old, ignore_errors=True)
