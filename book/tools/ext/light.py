"""Makes the pages light when they have been written: one style sheet, one script, and nothing that they do not need.

The theme brings ten style sheets of half a megabyte, most of it for things that are not on any page, and scripts that hold up a page until
they have come. Each page is read once and written once here.
"""

import hashlib
import re
import shutil
from pathlib import Path

import tinycss2
from sphinx.errors import ExtensionError

from book.tools import css
from book.tools.ext import icons

STYLES, SCRIPTS = "site.css", "site.js"
DARK = "dark.css"  # for who reads without scripts, and likes it dark
OURS = {"book.css", "print.css", "interactive.css", "icons.css"}  # small, and written for these pages: kept as they are
# Loaded by every page, in this order. translations.js is there in languages other than English.
TOGETHER = ("documentation_options.js", "doctools.js", "translations.js", "sphinx_highlight.js", "clipboard.min.js", "copybutton.js",
            "scripts/sphinx-book-theme.js", "scripts/pydata-sphinx-theme.js", "bar.js")
# By script: what is found there, once each, and what takes its place.
MENDED = {
    "scripts/pydata-sphinx-theme.js": (
        # It lets a keyboard reach what scrolls, and has a page laid out anew for each place it looks at; language.js does it in one go.
        (r"document\.querySelectorAll\(\[[^]]*\]\.join\(\", \"\)\)\.forEach\(e=>\{e\.tabIndex=[^{}]*\?0:-1\}\)", "0"),
    ),
    "scripts/sphinx-book-theme.js": ((r"\bt\.blur\(\)", "0"),),  # who uses a keyboard would be at the top of the page again
    # The first field is that of a dialog, which has to be opened first.
    "doctools.js": ((r'document\.querySelectorAll\("input\[name=q\]"\)\[0\]\?\.focus\(\)', """{
      const field = [...document.querySelectorAll("input[name=q]")].find((each) => each.getClientRects().length);
      if (field) field.focus();
      else document.querySelector(".search-button__button")?.click();
    }"""),),
    "searchtools.js": (
        # A word such as "constructor" is found in every JavaScript object.
        (r"Search\._index = index;", """for (const each of ["terms", "titleterms"]) Object.setPrototypeOf(index[each], null);
    Search._index = index;"""),
        (r"!terms\.hasOwnProperty\(word\)", "!(word in terms)"),
        (r"!titleTerms\.hasOwnProperty\(word\)", "!(word in titleTerms)"),
        # Short words are in no index, but for pairs of Chinese characters (search_zh.py): all of them have to be found.
        (r"\(term\) => term\.length > 2\b", r"(term) => term.length > 2 || /[\\u3400-\\u9fff\\uf900-\\ufaff]/.test(term)"),
        # What was found is read aloud.
        (r'searchSummary\.classList\.add\("search-summary"\);', r'\g<0>\n    searchSummary.setAttribute("role", "status");'),
    ),
}
SETTINGS = "DOCUMENTATION_OPTIONS.search_as_you_type = false;\n"
# Bootstrap's script stays out: its one use is a button that these pages have not. The index of the search is loaded where one searches.
UNUSED = {"scripts/bootstrap.js"}
SEARCHING = {"searchtools.js", "language_data.js", "searching.js"}
TABS = "design-tabs.js"
LINKS = ('\n    <link rel="stylesheet" href="{}" />',
         '\n    <noscript><link rel="stylesheet" media="screen and (prefers-color-scheme: dark)" href="{}" /></noscript>')
HEADER = """\
/* Parts of sphinx-book-theme, pydata-sphinx-theme, MyST-NB (BSD 3-Clause), Bootstrap and sphinx-design (MIT), see their files. */
"""
SHEET = re.compile(r'\s*<link\b(?=[^>]*\brel="stylesheet")[^>]*\bhref="((?:\.\./)*)_static/([^"?]+)[^"]*"[^>]*>')
PRELOAD = re.compile(r'\s*<link\b(?=[^>]*\brel="preload")(?=[^>]*\bas="script")[^>]*>')
SCRIPT = re.compile(r'[ \t]*<script\b([^>]*)\bsrc="((?:\.\./)*)(?:_static/)?([^"?]+)([^"]*)"([^>]*)></script>\n?')
SETTING = re.compile(r"[ \t]*<script>DOCUMENTATION_OPTIONS\.\w+ = [^<]*</script>\n?")
PLAIN = re.compile(r'<span class="([a-z]+[0-9]?)">([^<]*)</span>')
COLOUR = re.compile(r'data-theme="(\w+)"\] \.highlight (?:\.(\w+) )?\{([^}]*)\}')
COMMENT = re.compile(r"<!--(?!\[).*?-->", re.DOTALL)


def plain_classes(sheet: str) -> set[str]:
    """The classes of code that look as code looks anyway, in both colour themes: spans for them do nothing."""
    looks = {(theme, name): re.sub(r".*\bcolor:\s*(#\w+).*", r"\1", said) for theme, name, said in COLOUR.findall(sheet)}
    simple = {(theme, name) for theme, name, said in COLOUR.findall(sheet) if re.fullmatch(r"\s*color:\s*#\w+;?\s*", said)}
    themes = {theme for theme, name in looks if not name}
    return {name for _, name in looks if name
            and all((theme, name) in simple and looks[theme, name] == looks[theme, ""] for theme in themes)}


def stylesheets(pages: dict[Path, str]) -> list[str]:
    """The sheets of all pages, in an order that is right on each: some have more than others."""
    found = []
    for text in pages.values():
        place = 0
        for _, name in SHEET.findall(text):
            if name in found:
                place = found.index(name) + 1
            else:
                found.insert(place, name)
                place += 1
    return found


def write_styles(static: Path, pages: dict[Path, str]) -> tuple[str, str]:
    """Writes the sheet of all pages, and the one that darkens them where no script does, and returns their addresses in `_static`."""
    scripts = [path.read_text(encoding="utf-8") for path in static.rglob("*.js") if path.name != "bootstrap.js"]
    used = css.words(pages.values(), scripts)
    parts = []
    for name in stylesheets(pages):
        text = css.read(static / name, static)
        parts.append(text if name in OURS else css.purge(text, used, static))
    sheet = "\n".join(parts)
    dark = css.dressed(tinycss2.parse_stylesheet(sheet, skip_comments=True, skip_whitespace=True), "dark")
    return write(static / STYLES, f"{HEADER}{sheet}\n"), write(static / DARK, "\n".join([HEADER.strip(), *dark, ""]))


def mend(static: Path) -> None:
    """Mends scripts of others in their places."""
    for name, changes in MENDED.items():
        path = static / name
        text = path.read_text(encoding="utf-8")
        for wrong, right in changes:
            text, found = re.subn(wrong, right, text)
            if found != 1:
                raise ExtensionError(f"{name} has {found} of {wrong!r}, and it should have one; mend {__name__}")
        path.write_text(text, encoding="utf-8")


def write_scripts(static: Path) -> str:
    """Writes the script of all pages and returns its address in `_static`."""
    parts = []
    for name in TOGETHER:
        if (static / name).is_file():
            text = re.sub(r"\n?//# sourceMappingURL=\S*", "", (static / name).read_text(encoding="utf-8"))
            parts.append(f"/* {name} */\n{text};\n" + (SETTINGS if name == TOGETHER[0] else ""))
        elif name != "translations.js":
            raise ExtensionError(f"the theme has no {name} any more; mend {__name__}")
    return write(static / SCRIPTS, "".join(parts))


def write(path: Path, text: str) -> str:
    """Writes a file and returns its name with a mark of what is in it, so that browsers never keep an old one."""
    path.write_text(text, encoding="utf-8")
    return f"{path.name}?v={hashlib.sha256(text.encode()).hexdigest()[:8]}"


def lighten(text: str, name: str, styles: tuple[str, str], scripts: str, plain: set[str]) -> str:
    """A page with the one sheet and the one script in place of the many, all scripts waiting until the page is there."""
    seen = set()

    def sheet(match) -> str:
        first = "sheet" not in seen
        seen.add("sheet")
        return "".join(link.format(f"{match[1]}_static/{sheet}") for link, sheet in zip(LINKS, styles)) if first else ""

    def script(match) -> str:
        before, up, path, mark, after = match.groups()
        if path in TOGETHER:
            first = "script" not in seen
            seen.add("script")
            return f'    <script defer src="{up}_static/{scripts}"></script>\n' if first else ""
        searches = path in SEARCHING or path == "searchindex.js"
        if path in UNUSED or searches and name != "search.html" or path == TABS and "sd-tab-set" not in text:
            return ""
        return match[0] if "defer" in before + after or "async" in before + after else match[0].replace("<script", "<script defer", 1)

    text = SETTING.sub("", PRELOAD.sub("", COMMENT.sub("", text)))
    text = SCRIPT.sub(script, SHEET.sub(sheet, text))
    text = PLAIN.sub(lambda match: match[2] if match[1] in plain else match[0], text)
    text = text.replace('data-theme="auto"', 'data-theme="light"', 1)  # without scripts, and DARK overrules it; they choose for themselves
    return re.sub(r"(?<=>)\s*\n\s*\n\s*(?=<(?!/?(?:pre|span|code)))", "\n", text) if "<textarea" not in text else text


def finish(app, exception) -> None:
    """Reads every page, makes what they share, and writes them."""
    if exception or app.builder.format != "html":
        return
    out, static = Path(app.outdir), Path(app.outdir) / "_static"
    pages = {path: path.read_text(encoding="utf-8") for path in sorted(out.rglob("*.html"))}
    for path, text in pages.items():
        icons.check(path.name, text)
    for pattern in icons.LEFT_OUT:
        for path in static.parent.glob(pattern):
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    pages = {path: icons.SCRIPT.sub("", text) for path, text in pages.items()}
    plain = plain_classes((static / "pygments.css").read_text(encoding="utf-8"))
    mend(static)
    styles, scripts = write_styles(static, pages), write_scripts(static)
    for path, text in pages.items():
        path.write_text(lighten(text, path.name, styles, scripts, plain), encoding="utf-8")


def setup(app):
    app.connect("build-finished", finish, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
