"""Makes `book/_fonts/NotoSansSC-Subset.otf`, the font that figures use for Chinese.

The result is committed, so nobody needs to run this to build the book. It is here so that the subset can be made again, or widened:

    apt-get download fonts-noto-cjk && dpkg-deb -x fonts-noto-cjk_*.deb noto
    python -m book.tools.subset_font noto/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc

Source: Noto Sans CJK, Regular, https://github.com/notofonts/noto-cjk (SIL Open Font License 1.1, see `book/_fonts/OFL.txt`).
"""

import argparse
import sys
from pathlib import Path

from fontTools import subset
from fontTools.ttLib import TTCollection

from book.tools.paths import BOOK, FONTS

FAMILY = "Noto Sans SC"
OUTPUT = FONTS / "NotoSansSC-Subset.otf"
LARGEST = 1_000_000  # bytes; a test holds the file to it

# What figures need beside letters and Chinese characters: arrows, mathematics, punctuation, full-width forms.
RANGES = [
    (0x0020, 0x007E),  # ASCII
    (0x00A0, 0x017F),  # Latin with accents: å, ä, ö and their neighbours
    (0x0370, 0x03FF),  # Greek
    (0x0400, 0x045F),  # Cyrillic
    (0x2010, 0x2027),  # dashes, quotation marks, ellipsis
    (0x2030, 0x205E),  # per mille, primes
    (0x2070, 0x209C),  # superscripts and subscripts
    (0x20AC, 0x20AC),  # euro
    (0x2100, 0x214F),  # letter-like signs
    (0x2190, 0x21FF),  # arrows
    (0x2200, 0x22FF),  # mathematical operators
    (0x2460, 0x2473),  # circled numbers
    (0x2500, 0x257F),  # box drawing
    (0x25A0, 0x25FF),  # geometric shapes
    (0x3000, 0x301F),  # Chinese punctuation
    (0xFF01, 0xFF5E),  # full-width ASCII
]


def gb2312_level_1() -> set[int]:
    """The code points of the 3,755 most used Chinese characters (GB 2312, rows 16 to 55)."""
    found = set()
    for row in range(0xB0, 0xD8):
        for cell in range(0xA1, 0xFF):
            try:
                found.add(ord(bytes([row, cell]).decode("gb2312")))
            except UnicodeDecodeError:  # row 55 ends five cells early
                continue
    return found


def rare_terms() -> set[int]:
    """The code points that the Chinese pages use beyond those, such as 熵 (entropy)."""
    return {ord(character) for page in (BOOK / "zh-CN").glob("*.md") for character in page.read_text(encoding="utf-8")}


def wanted(extra: str = "") -> set[int]:
    """All code points that the subset holds where the source has them; `extra` adds to them."""
    ranges = {code for first, last in RANGES for code in range(first, last + 1)}
    return ranges | gb2312_level_1() | rare_terms() | {ord(character) for character in extra}


def make(source: Path, output: Path, extra: str) -> None:
    """Reads the simplified Chinese face out of a .ttc collection and writes its subset, under the name that figures ask for."""
    faces = TTCollection(str(source), lazy=True).fonts
    font = next((face for face in faces if face["name"].getDebugName(1) == "Noto Sans CJK SC"), None)
    if font is None:
        raise SystemExit(f"{source} holds no face named 'Noto Sans CJK SC'; give the file NotoSansCJK-Regular.ttc of fonts-noto-cjk")
    options = subset.Options(layout_features=[], hinting=False, notdef_outline=True, name_IDs=[0, 1, 2, 3, 4, 5, 6, 13, 14],
                             drop_tables=["BASE", "GPOS", "GSUB", "VORG", "vhea", "vmtx"])
    worker = subset.Subsetter(options)
    worker.populate(unicodes=wanted(extra))
    worker.subset(font)
    for name_id, text in {1: FAMILY, 4: FAMILY, 6: "NotoSansSC-Regular", 3: f"{FAMILY} subset for figures"}.items():
        font["name"].setName(text, name_id, 3, 1, 0x409)
    font["head"].modified = font["head"].created  # the same bytes whenever it is made
    font.recalcTimestamp = False
    output.parent.mkdir(parents=True, exist_ok=True)
    font.save(output)


def main() -> int:
    parser = argparse.ArgumentParser(description="Make the subset of Noto Sans SC that figures use.")
    parser.add_argument("source", type=Path, help="NotoSansCJK-Regular.ttc")
    parser.add_argument("--output", type=Path, default=OUTPUT)
    parser.add_argument("--extra", default="", help="further characters to take in")
    options = parser.parse_args()
    make(options.source, options.output, options.extra)
    size = options.output.stat().st_size
    print(f"{options.output}: {size:,} bytes")
    if size > LARGEST:
        print(f"That is more than {LARGEST:,} bytes: leave out a range.", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
