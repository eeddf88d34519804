"""Reading what a student handed in, as data: the code cells of a notebook or a .py file, and the language it is written in."""

import itertools
import json
import re
from dataclasses import dataclass

from autograder.languages import DEFAULT, LANGUAGES
from autograder.messages import Message, message

MAX_CELLS = 5000
MAX_BRACKETS = 2_000_000  # each may cost 200 bytes of memory; a notebook of fifty megabytes of pictures has a few thousand
MAX_COMMAS = 6_000_000  # each may cost 80, in a list of short texts
MAX_CODE = 7 << 20  # bytes, as JSON: what travels to the sandbox in one message
GUESSED_FROM = 100_000  # characters; a letter more than there are in a text of them tells nothing new


@dataclass(frozen=True)
class Work:
    """The code cells in their order, the student's language, and the exercise that a notebook says it was handed out for."""

    cells: tuple
    language: str
    exercise: str | None = None
    is_file: bool = False  # a .py file, which is one cell


class Unreadable(Exception):
    """There is no code to be got out of the file. `note` tells the student why, and what to do."""

    def __init__(self, note: Message):
        super().__init__(str(note))
        self.note = note


def read(data, name):
    """The work in a file's bytes; raises Unreadable."""
    text = decode(data)
    if name.lower().endswith(".py"):
        return Work(short_enough((text,)), guess_language(text), is_file=True)
    return read_notebook(text)


def decode(data):
    """The text of a file: UTF-8 or UTF-16, with or without a byte-order mark."""
    marks = {b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16", b"{\0": "utf-16-le", b"\0{": "utf-16-be"}
    encoding = marks.get(data[:2], "utf-8-sig")
    try:
        return data.decode(encoding)
    except UnicodeDecodeError:
        raise Unreadable(message("The file is not text in UTF-8. Open it in Jupyter, save it, and submit it again.")) from None


def read_notebook(text):
    """The work in a notebook's JSON; nbformat 3 and 4 are understood, whatever else is odd about it."""
    notebook = parse(text)
    cells = list_cells(notebook)
    code = tuple(source_of(cell) for cell in cells if cell.get("cell_type") == "code")
    if not code:
        raise Unreadable(message("There is no code cell in the notebook. Submit the notebook that you have worked in."))
    return Work(short_enough(code[:MAX_CELLS]), language_of(notebook, cells), exercise_of(notebook))


def short_enough(code):
    """The cells' texts; raises Unreadable where they are too long to travel."""
    size = sum(len(json.dumps(text)) for text in code)
    if size > MAX_CODE:
        raise Unreadable(message("The code takes {size} MB, and at most {most} MB are read. Leave data out of the code, and submit it again.",
                                 size=-(-size >> 20), most=MAX_CODE >> 20))
    return code


def parse(text):
    """What a notebook's JSON holds; raises Unreadable."""
    if not text.strip():
        raise Unreadable(message("The file is empty. Save the notebook and submit it again."))
    if _more_than(text, "[{", MAX_BRACKETS) or _more_than(text, ",", MAX_COMMAS):
        raise Unreadable(message("The notebook holds too much. Clear its outputs, save it and submit it again."))
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise Unreadable(message("The file is not a notebook: it is no valid JSON. Open it in Jupyter, save it, and submit it again.")) from None


def _more_than(text, characters, most):
    """Whether a text in JSON has more of some characters than that; those inside its strings do not count, where it matters."""
    if sum(map(text.count, characters)) <= most:
        return False
    string_or_one = re.compile(STRING + f"|[{re.escape(characters)}]", re.DOTALL)
    outside = (found for found in string_or_one.finditer(text) if found[0][0] != '"')
    return sum(1 for _ in itertools.islice(outside, most + 1)) > most


STRING = r'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)'  # one that is not closed goes to the end: one pass


def list_cells(notebook):
    """The cells of a notebook, also where they lie in worksheets as nbformat 3 has them; raises Unreadable where there is no such list."""
    if isinstance(notebook, dict):
        sheets = notebook.get("worksheets")
        lists = [sheet.get("cells") for sheet in sheets if isinstance(sheet, dict)] if isinstance(sheets, list) else [notebook.get("cells")]
        if any(isinstance(cells, list) for cells in lists):
            return [cell for cells in lists if isinstance(cells, list) for cell in cells if isinstance(cell, dict)]
    raise Unreadable(message("The file is not a notebook: it holds no list of cells. Open it in Jupyter, save it, and submit it again."))


def source_of(cell):
    """A cell's text: a string or a list of lines, under `source` or, in nbformat 3, `input`."""
    source = cell.get("source", cell.get("input", ""))
    if isinstance(source, list):
        source = "".join(part for part in source if isinstance(part, str))
    return source if isinstance(source, str) else ""


def exercise_of(notebook):
    """The exercise that the notebook says it was handed out for; None where it does not say so."""
    exercise = course_of(notebook).get("assignment")
    return exercise if isinstance(exercise, str) else None


def course_of(notebook):
    """What the course has written into the metadata of a notebook, as JSON has it; empty where that is lost."""
    for key in ("metadata", "course"):
        notebook = notebook.get(key) if isinstance(notebook, dict) else None
    return notebook if isinstance(notebook, dict) else {}


def language_of(notebook, cells):
    """The language that the exercise was handed out in, or a guess from the text where the metadata is lost."""
    language = course_of(notebook).get("language")
    return language if language in LANGUAGES else guess_language("\n".join(map(source_of, cells)))


def guess_language(text):
    """The course's language that a text is written in, by its letters; English where there is no sign of another."""
    signs = {"zh-CN": r"[\u4e00-\u9fff]", "ru": r"[\u0400-\u04ff]", "sv": r"[åäöÅÄÖ]"}
    counts = {language: len(re.findall(pattern, text[:GUESSED_FROM])) for language, pattern in signs.items()}
    best = max(counts, key=counts.get)
    return best if counts[best] >= 10 else DEFAULT
