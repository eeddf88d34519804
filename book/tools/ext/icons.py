"""The few icons that pages show, as a font of a few kilobytes. The theme brings two thousand, as a script of half a megabyte (packed) and
as a font of a hundred kilobytes; its style sheet works with either. The script and the large fonts are left out of the site, see
`light.py`.
"""

import re
from pathlib import Path

import pydata_sphinx_theme
from fontTools import subset
from fontTools.ttLib import TTFont
from sphinx.errors import ExtensionError

STATIC = Path(pydata_sphinx_theme.__file__).parent / "theme" / "pydata_sphinx_theme" / "static"
FONT = STATIC / "vendor" / "fontawesome" / "webfonts" / "fa-solid-900.ttf"
STYLES = STATIC / "styles" / "pydata-sphinx-theme.css"
ICONS = ("angle-down", "angle-left", "angle-right", "arrow-up", "bars", "circle-half-stroke", "download", "globe", "list",
         "magnifying-glass", "moon", "play", "sun")
# The marks of the boxes for notes and warnings, and their like.
MARKS = re.compile(r'--pst-icon-[\w-]+:\s*"(?:\\([0-9a-f]{4})|([\ue000-\uf8ff]))"')
LEFT_OUT = ("_static/scripts/fontawesome.js*", "_static/vendor/fontawesome", "_static/**/*.map")
SCRIPT = re.compile(r"\s*<script[^>]*\bfontawesome\.js[^>]*></script>|\s*<link[^>]*\bfontawesome[^>]*>")
USED = re.compile(r'<(?:i|span)[^>]*class="([^"]*\bfa-solid\b[^"]*)"')
ALWAYS = {"fa-solid", "fa-lg"}
SHEET = """\
/* Shapes of Font Awesome Free 6 (https://fontawesome.com), font: SIL OFL 1.1 (https://openfontlicense.org). */
@font-face { font-family: "Font Awesome 6 Free"; font-style: normal; font-weight: 900; font-display: block;
  src: url("icons.woff") format("woff"); }
"""


def code_points() -> set[int]:
    """The code points of the icons in use, and of the marks that style sheets set; ExtensionError where the theme knows an icon no more."""
    styles = STYLES.read_text(encoding="utf-8")
    found = {int(code, 16) if code else ord(sign) for code, sign in MARKS.findall(styles)}
    for name in ICONS:
        match = re.search(rf'\.fa-{name}:before[^{{}}]*\{{content:"(?:\\([0-9a-f]+)|(.))"', styles)
        if not match:
            raise ExtensionError(f"the theme's {STYLES.name} has no icon {name!r}; mend {__name__}")
        found.add(int(match[1], 16) if match[1] else ord(match[2]))
    return found


def write(app, config) -> None:
    """Lays the font and its style sheet where Sphinx finds static files."""
    folder = Path(app.outdir).parent / "icons"
    folder.mkdir(parents=True, exist_ok=True)
    font = TTFont(FONT, recalcTimestamp=False)  # the same bytes on every build
    worker = subset.Subsetter(subset.Options(hinting=False, layout_features=[], name_IDs=[0, 1, 2, 13, 14]))
    worker.populate(unicodes=code_points())
    worker.subset(font)
    font.flavor = "woff"
    font.save(folder / "icons.woff")
    (folder / "icons.css").write_text(SHEET, encoding="utf-8")
    config.html_static_path.append(str(folder))


def check(page: str, text: str) -> None:
    """Says so where a page shows an icon that the small font has not."""
    known = ALWAYS | {f"fa-{name}" for name in ICONS}
    strange = {name for classes in USED.findall(text) for name in classes.split() if name.startswith("fa-")} - known
    if strange:
        raise ExtensionError(f"{page} shows icons that {__name__} does not have: {', '.join(sorted(strange))}; add them to ICONS")


def setup(app):
    app.connect("config-inited", write)
    app.add_css_file("icons.css", priority=900)  # after the theme's, whose font it stands for
    return {"parallel_read_safe": True, "parallel_write_safe": True}
