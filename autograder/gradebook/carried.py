"""Which of a student's cells answers which cell of the exercise, whatever has happened to their ids, names, types and order."""

import functools
import re
from dataclasses import dataclass, field

from autograder import notebook as reading

DEFINES = re.compile(r"^(?:async\s+)?(?:def|class)\s+(\w+)", re.MULTILINE)
MAX_OWN = 300  # further cells that are shown
LONGEST_CELL = 20_000  # characters that are shown
LONGEST = 300_000  # of all cells together


@dataclass(frozen=True)
class Cell:
    """A student's cell: its text, whether it is code, and the ids that it may still bear."""

    source: str
    is_code: bool
    ids: frozenset = frozenset()

    @functools.cached_property
    def defines(self):
        """The functions and classes that its text defines."""
        return frozenset(DEFINES.findall(self.source))


@dataclass
class Carried:
    """A student's cells, sorted out.

    answers: {grade id of a solution cell: Cell}; own: {id of a cell of the exercise, or None: further Cells that stand after it}.
    """

    answers: dict = field(default_factory=dict)
    own: dict = field(default_factory=dict)


def cells_of(data, name):
    """The student's cells, MAX_CELLS of them at most; none where the file cannot be read as a notebook or a .py file."""
    try:
        if name.lower().endswith(".py"):
            return [Cell(shown(reading.decode(data)), True)]
        return [_cell(cell) for cell in reading.list_cells(reading.parse(reading.decode(data)))[:reading.MAX_CELLS]]
    except reading.Unreadable:
        return []


def _cell(cell):
    metadata = cell.get("metadata")
    metadata = metadata if isinstance(metadata, dict) else {}
    graded = metadata.get("nbgrader")
    ids = [graded.get("grade_id") if isinstance(graded, dict) else None, cell.get("id"), metadata.get("id")]
    is_code = cell.get("cell_type") == "code"
    return Cell(shown(reading.source_of(cell)), is_code, frozenset(one for one in ids if isinstance(one, str)))


def shown(source):
    """A student's text as it may be shown: no control or direction characters, no half characters, and cut where it is very long."""
    text = source[: LONGEST_CELL + 1].replace("\r\n", "\n").replace("\r", "\n")
    text = UNSEEN.sub("\N{REPLACEMENT CHARACTER}", text)
    return text if len(text) <= LONGEST_CELL else text[:LONGEST_CELL] + "\n…"


UNSEEN = re.compile("[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff\ufff9-\ufffb]")


def carry(cells, exercise):
    """Sort a student's cells by the cells of the exercise, a list of nbformat cells: what answers what, and what is the student's own."""
    answers = {cell.metadata.nbgrader.grade_id: _answer(cells, cell) for cell in exercise if is_solution(cell)}
    answers = {name: number for name, number in answers.items() if number is not None}
    carried = Carried({name: cells[number] for name, number in answers.items()})
    places = {number: name for name, number in answers.items()}
    known = {one for cell in exercise for one in ids_of(cell)}
    given = {cell.source.strip() for cell in exercise if not is_solution(cell)} | {""}
    place, count, room = None, MAX_OWN, LONGEST
    for number, cell in enumerate(cells):
        here = [one for one in cell.ids if one in known]
        place = places.get(number) or (here[0] if here else place)
        is_prose = here and not cell.is_code and not cell.ids & set(answers)
        if number in places or is_prose or cell.source.strip() in given:
            continue
        count, room = count - 1, room - len(cell.source)
        if count < 0 or room < 0:
            break
        carried.own.setdefault(place, []).append(cell)
    return carried


def _answer(cells, exercise_cell):
    """The number of the cell that answers a solution cell: the one with its id, or else the last one that defines what it asks for."""
    wanted, ids = set(DEFINES.findall(exercise_cell.source)), ids_of(exercise_cell)

    def defines(cell):
        return bool(wanted & cell.defines)

    of_id = [number for number, cell in enumerate(cells) if cell.ids & ids]
    elsewhere = [number for number, cell in enumerate(cells) if cell.is_code and defines(cell)]
    ranked = sorted(of_id, key=lambda number: (cells[number].is_code, defines(cells[number]), number))
    if ranked and (defines(cells[ranked[-1]]) or not elsewhere):
        return ranked[-1]
    return (elsewhere or [None])[-1]


def is_solution(cell):
    """Whether a cell of the exercise waits for the student's work."""
    return bool(cell.metadata.get("nbgrader", {}).get("solution"))


def ids_of(cell):
    """The ids that a cell of the exercise bears."""
    return {one for one in (cell.metadata.get("nbgrader", {}).get("grade_id"), cell.get("id")) if one}
