"""Makes `book/_static/math.woff2`, the font of formulas: Latin Modern Math, cut down to what book/tools/formulas.py can write.

The result is committed, so nobody needs to run this to build the book. It is here so that the subset can be made again, or widened:

    apt-get download fonts-lmodern && dpkg-deb -x fonts-lmodern_*.deb lmodern && pip install brotli
    python -m book.tools.math_font lmodern/usr/share/texmf/fonts/opentype/public/lm-math/latinmodern-math.otf

Source: Latin Modern Math by B. Jackowski, P. Strzelczyk and P. Pianowski (GUST Font License, an instance of the LaTeX Project Public
License).
"""

import argparse
from pathlib import Path

from fontTools import subset
from fontTools.ttLib import TTFont

from book.tools import formulas
from book.tools.paths import STATIC

OUTPUT = STATIC / "math.woff2"
FAMILY = "Book Math"  # a changed font has to have another name
ALPHABETS = ("ITALIC", "BOLD", "BOLD ITALIC", "DOUBLE-STRUCK", "SCRIPT")
PRIME = 0x2032
OTHER = "\u00a0\u2009\u0338′√−"


def wanted() -> set[int]:
    """The code points that formulas can hold: what is typed, what commands stand for, letters in the mathematical alphabets."""
    tables = (formulas.GREEK, formulas.CAPITALS, formulas.LETTERS, formulas.BINARY, formulas.RELATIONS, formulas.LARGE, formulas.INTEGRALS,
              formulas.OPENING, formulas.CLOSING, formulas.STROKES, formulas.ACCENTS)
    signs = set(OTHER) | {sign for each in tables for text in each.values() for sign in text}
    signs |= {sign for _, text in formulas.WIDE.values() for sign in text}
    signs |= {chr(code) for code in range(0x20, 0x7F)}
    latin = [chr(code) for code in (*range(0x41, 0x5B), *range(0x61, 0x7B))]
    signs |= {formulas.styled(sign, alphabet) for alphabet in ALPHABETS for sign in latin if alphabet != "SCRIPT" or sign.isupper()}
    signs |= {formulas.styled(sign, "ITALIC") for sign in (*formulas.GREEK.values(), "∂")}
    signs |= {formulas.styled(sign, "DOUBLE-STRUCK") for sign in "01"}
    return {ord(sign) for sign in signs}


def lower_prime(font: TTFont) -> None:
    """Gives the prime the shape that it has as a superscript, which formulas make of it: the common one stands high already."""
    for record in font["GSUB"].table.FeatureList.FeatureRecord:
        for number in record.Feature.LookupListIndex if record.FeatureTag == "ssty" else ():
            for rule in font["GSUB"].table.LookupList.Lookup[number].SubTable:
                rule = getattr(rule, "ExtSubTable", rule)
                shapes = getattr(rule, "alternates", None) or {glyph: [to] for glyph, to in getattr(rule, "mapping", {}).items()}
                for cmap in font["cmap"].tables:
                    glyph = cmap.cmap.get(PRIME)
                    if glyph in shapes:
                        cmap.cmap[PRIME] = shapes[glyph][0]


def widen_slanted(font: TTFont) -> None:
    """Counts the overhang of slanted letters to their width. Browsers set scripts there, and T² would touch; TeX adds it by itself."""
    overhang = font["MATH"].table.MathGlyphInfo.MathItalicsCorrectionInfo
    names = font.getBestCmap()
    letters = {names[code] for code in range(0x1D434, 0x1D468) if code in names}
    for glyph, value in zip(overhang.Coverage.glyphs, overhang.ItalicsCorrection):
        if glyph in letters:
            width, bearing = font["hmtx"][glyph]
            font["hmtx"][glyph] = (width + round(0.8 * value.Value), bearing)


def make(source: Path, output: Path = OUTPUT) -> None:
    """Cuts the font down, with its table of how formulas are set."""
    font = TTFont(source)
    lower_prime(font)
    widen_slanted(font)
    worker = subset.Subsetter(subset.Options(layout_features=[], hinting=False, notdef_outline=True,
                                             name_IDs=[0, 1, 2, 3, 4, 5, 6, 13, 14]))
    worker.populate(unicodes=wanted())
    worker.subset(font)
    for name_id in (1, 3, 4, 6):
        font["name"].setName(FAMILY.replace(" ", "") if name_id == 6 else FAMILY, name_id, 3, 1, 0x409)
    font.recalcTimestamp = False
    font.flavor = "woff2"
    font.save(output)


def main() -> int:
    parser = argparse.ArgumentParser(description="Make the font of formulas.")
    parser.add_argument("source", type=Path, help="latinmodern-math.otf")
    parser.add_argument("--output", type=Path, default=OUTPUT)
    options = parser.parse_args()
    make(options.source, options.output)
    print(f"{options.output}: {options.output.stat().st_size:,} bytes")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
