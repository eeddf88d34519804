"""Builds one language with Jupyter Book. `build.py` starts it, one process a language: Sphinx keeps its translations in globals, and two
languages in one process would mix them.

    python -m book.tools.sphinx_build CODE OUTPUT [--changed PAGE...]

What Sphinx has read of a page depends on that page and on what all pages share. It lies in OUTPUT after a build, so where pages alone have
changed the others need not be read again. All are written again: they have titles, numbers and terms from each other.
"""

import argparse
import gettext
import json
import shutil
import sys
from pathlib import Path

from babel.messages import mofile, pofile

from book.tools import kernels, languages, lean, originals, runtime, toc
from book.tools.ext import bibliography
from book.tools.paths import BOOK, CONFIG, LOCALE, README, REFERENCES, STATIC, TEMPLATES

EXTENSIONS = [
    "sphinx_copybutton",
    "myst_nb",
    "jupyter_book",
    "sphinx_external_toc",
    "sphinx_design",
    "sphinx_book_theme",
    "sphinxcontrib.bibtex",
    "book.tools.ext.search_ru",
    "book.tools.ext.search_sv",
    "book.tools.ext.search_zh",
    "book.tools.ext.stable_ids",
    "book.tools.ext.captions",
    "book.tools.ext.lists",
    "book.tools.ext.citations",
    "book.tools.ext.bibliography",
    "book.tools.ext.unbroken",
    "book.tools.ext.dropdowns",
    "book.tools.ext.quiz",
    "book.tools.ext.explained",
    "book.tools.ext.figures",
    "book.tools.ext.formulas",
    "book.tools.ext.interactive",
    "book.tools.ext.shared_marks",
    "book.tools.ext.streams",
    "book.tools.ext.edited",
    "book.tools.ext.turns",
    "book.tools.ext.switcher",
    "book.tools.ext.originals",
    "book.tools.ext.downloads",
    "book.tools.ext.launch",
    "book.tools.ext.dependencies",
    "book.tools.ext.assets",
    "book.tools.ext.icons",
    "book.tools.ext.light",
    "book.tools.ext.social",
]
READ = (".doctrees", "jupyter_execute")  # what has been read of pages: themselves, and what their cells have drawn


def compile_catalogues(language: languages.Language, target: Path) -> Path:
    """Compiles `book/_locale/<code>.po` for gettext and for the browser, and returns the folder for Sphinx's `locale_dirs`: `target`."""
    source = LOCALE / f"{language.code}.po"
    if source.exists():
        messages = target / language.sphinx / "LC_MESSAGES"
        messages.mkdir(parents=True, exist_ok=True)
        with source.open("rb") as stream:
            catalogue = pofile.read_po(stream, locale=language.sphinx, abort_invalid=True)
        with (messages / "sphinx.mo").open("wb") as stream:
            mofile.write_mo(stream, catalogue)
        for_browser = {"locale": language.sphinx, "messages": {each.id: each.string for each in catalogue if each.id}, "plural_expr": "0"}
        script = f"Documentation.addTranslations({json.dumps(for_browser, ensure_ascii=False, indent=1)});\n"
        (messages / "sphinx.js").write_text(script, encoding="utf-8")
    return target


def translator(language: languages.Language, locale_dir: Path):
    """The book's own strings in that language: a function from English to it."""
    return gettext.translation("sphinx", str(locale_dir), [language.sphinx], fallback=True).gettext


def settings(language: languages.Language, locale_dir: Path, toc_path: Path, base_url: str) -> dict:
    """What is set on top of `_config.yml`, as Sphinx's options."""
    _ = translator(language, locale_dir)
    return {
        "extensions": EXTENSIONS,
        "external_toc_path": str(toc_path),
        "language": language.sphinx,
        "locale_dirs": [str(locale_dir)],
        "project": language.title,
        "html_title": language.title,
        "html_short_title": language.title,
        "html_baseurl": f"{base_url.rstrip('/')}/{language.code}/" if base_url else "",
        "exclude_patterns": [README],
        "html_static_path": [str(STATIC)],
        "templates_path": [str(TEMPLATES)],
        "html_favicon": str(STATIC / "favicon.svg"),
        "html_context": {"default_mode": "auto"},
        "html_css_files": ["book.css", "print.css"],
        "html_js_files": [("language.js", {"defer": "defer"})],
        "html_copy_source": False,
        "html_use_index": False,
        "html_show_sourcelink": False,
        "html_last_updated_fmt": None,
        "html_theme_options": {
            "search_bar_text": _("Search this book"),
            "toc_title": _("On this page"),
            "navbar_persistent": [],
            "use_download_button": False,
            "use_fullscreen_button": False,
            "home_page_in_toc": True,
            "show_toc_level": 2,
            "footer_content_items": ["copyright"],
            "primary_sidebar_end": [],
            "pygments_light_style": "a11y-high-contrast-light",
            "pygments_dark_style": "a11y-high-contrast-dark",
        },
        "numfig": True,
        "numfig_format": {"figure": language.figure, "table": language.table, "code-block": _("Listing") + " %s", "section": "%s"},
        "math_eqref_format": "({number})",
        "html_math_renderer": "mathml",
        "myst_update_mathjax": False,
        "nb_execution_cache_path": str(runtime.CACHE),
        "nb_execution_in_temp": True,
        "nb_execution_show_tb": True,
        "nb_merge_streams": True,  # printed text may arrive in pieces
        "nb_code_prompt_show": _("Show the code"),
        "nb_code_prompt_hide": _("Hide the code"),
        "nb_ipywidgets_js": {},
        "bibtex_bibfiles": [str(REFERENCES)] if REFERENCES.exists() else [],
        "bibtex_reference_style": "author_year",
        "bibtex_default_style": bibliography.STYLE,
        # Every chapter ends with the sources it cites, so one source may stand in several lists, and number 1 is another one in each.
        "suppress_warnings": ["myst.domains", "bibtex.duplicate_citation", "bibtex.duplicate_label"],
        "book_language": language.code,
        "latex_individualpages": False,
    }


def clear(output: Path, keep: tuple[str, ...] = ()) -> None:
    """Empties the folder of a build but for some names."""
    output.mkdir(parents=True, exist_ok=True)
    for each in output.iterdir():
        if each.name not in keep:
            shutil.rmtree(each) if each.is_dir() else each.unlink()


def build(language: languages.Language, output: Path, base_url: str, changed: list[str] | None = None) -> int:
    """Builds the language's pages into `output`/html, warnings being errors. Returns the exit status.

    changed: the pages that have changed since `output` was made; None where that is not known, or more than pages has.
    """
    lean.prepare()
    kernels.prepare()
    from book.tools import execution  # after what it imports has been made lean

    execution.prepare()
    from jupyter_book.sphinx import build_sphinx
    from sphinx.util.console import nocolor

    nocolor()  # what is said goes to a pipe
    clear(output, READ if changed is not None else ())
    locale_dir = compile_catalogues(language, output / "locale")
    toc_path = toc.write(output / "toc.yml", set(originals.missing(language.code)))
    result = build_sphinx(
        str(BOOK / language.code), str(output / "html"), noconfig=True, path_config=str(CONFIG),
        confoverrides=settings(language, locale_dir, toc_path, base_url) | {"book_edited": changed or []},
        doctreedir=str(output / ".doctrees"), warningiserror=True, keep_going=True, quiet=True,
    )
    return result if isinstance(result, int) else 1


def main() -> int:
    parser = argparse.ArgumentParser(description="Build one language of the book.")
    parser.add_argument("code", choices=languages.CODES)
    parser.add_argument("output", type=Path, help="folder for the result")
    parser.add_argument("--base-url", default="", help="absolute address of the site")
    parser.add_argument("--changed", nargs="*", metavar="PAGE", help="nothing but these pages has changed since the folder was made")
    options = parser.parse_args()
    return build(languages.language(options.code), options.output, options.base_url, options.changed)


if __name__ == "__main__":
    sys.exit(main())
