"""Letters in figures: every sign in a string of a cell has to be in one of the fonts that figures are drawn with."""

import ast
import functools
import re
from pathlib import Path

import matplotlib
from fontTools.ttLib import TTFont

from book.tools.blocks import parse
from book.tools.compare import split_options
from book.tools.paths import FONTS
from book.tools.prose import Fault
from book.tools.skeleton import split_magics

HAN = re.compile(r"[\u3400-\u9fff]")
FORMULA = re.compile(r"\$[^$]+\$")
DEJAVU = Path(matplotlib.get_data_path()) / "fonts" / "ttf" / "DejaVuSans.ttf"


@functools.cache
def drawable():
    """The code points that figures can show: those of DejaVu Sans, which comes with matplotlib, and of the fonts in `book/_fonts`."""
    files = [DEJAVU, *sorted(FONTS.glob("*.[ot]tf"))]
    return frozenset(code for file in files for code in TTFont(file, lazy=True).getBestCmap()) | {ord("\n"), ord("\t")}


def of_page(name, text):
    """The faults of a page, a list of Fault."""
    found = []
    for block in parse(text):
        if block.kind == "code-cell":
            absent = sorted({sign for string in strings(split_options(block.text)[1]) for sign in string if ord(sign) not in drawable()})
            found += [Fault(name, block.line, f"no font of the figures has {sign!r}, U+{ord(sign):04X}", sign) for sign in absent]
            mixed = [line for string in strings(split_options(block.text)[1]) for line in string.splitlines() if HAN.search(line)
                     and FORMULA.search(line)]
            found += [Fault(name, block.line, "the font of formulas has no Chinese: keep it off a line with $…$", line[:60])
                      for line in mixed]
    return found


def strings(code):
    """The strings of a cell."""
    return [node.value for node in ast.walk(ast.parse(split_magics(code)[1])) if isinstance(node, ast.Constant)
            and isinstance(node.value, str)]
