"""The notebook that nbgrader's pages show in place of the submitted one.

It is made from the exercise as it was handed out, in the student's language; of the student's file only text comes into it, as code cells
and as text in fences. So whatever a student has done to cells, ids, metadata, outputs, attachments or the file itself, nbgrader gets a
notebook that is whole, small and harmless. What lies in submitted/ stays as it is.
"""

import re

import nbformat

from autograder.assignment import ROOT
from autograder.gradebook import carried
from autograder.languages import DEFAULT
from autograder.messages import message

EXERCISES = ROOT / "exercises"
HEADING = re.compile(r"#{1,6} .*")
FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")


def build(assignment, source, language, cells):
    """The clean notebook of a submission, and {grade id of a test cell: Messages on the cells before it}.

    assignment: its name; source: the notebook in the gradebook, as nbgrader's API gives it; cells: the student's, from `carried.cells_of`.
    """
    exercise = exercise_cells(assignment, language, source)
    sorted_out = carried.carry(cells, exercise)
    made, remarks, waiting = _own(sorted_out.own.pop(None, ())), {}, []
    for cell in exercise:
        graded = cell.metadata.get("nbgrader", {})
        if carried.is_solution(cell):
            waiting += _fill(cell, sorted_out.answers.get(graded["grade_id"]), language)
        elif graded.get("grade"):
            remarks[graded["grade_id"]], waiting = waiting, []
        made += [cell] if graded or cell.cell_type == "code" else _heading(cell)
        for one in carried.ids_of(cell):
            made += _own(sorted_out.own.pop(one, ()))
    _number(made)
    metadata = {"kernelspec": KERNEL, "language_info": {"name": "python"}, "course": {"assignment": assignment, "language": language}}
    return nbformat.from_dict({"nbformat": 4, "nbformat_minor": 5, "metadata": metadata, "cells": made}), remarks


KERNEL = {"display_name": "Python 3", "language": "python", "name": "python3"}


def exercise_cells(assignment, language, source):
    """The cells as they were handed out in a language, with the roles and the points that the gradebook has for them."""
    grades, solutions = {cell.name: cell for cell in source.grade_cells}, {cell.name for cell in source.solution_cells}
    cells = _released(assignment, language)
    for cell in cells:
        graded = cell.metadata.get("nbgrader", {})
        name = graded.get("grade_id")
        if (graded.get("grade") and name not in grades) or (graded.get("solution") and name not in solutions):
            del cell.metadata["nbgrader"]  # this gradebook knows nothing of it
        elif graded.get("grade"):
            graded["points"] = grades[name].max_score
    there = {one for cell in cells for one in carried.ids_of(cell)}
    texts = {cell.name: cell.source for cell in source.source_cells}
    return cells + [_test_cell(cell, texts.get(name, "")) for name, cell in grades.items() if name not in there and name not in solutions]


def _released(assignment, language):
    for folder in dict.fromkeys((language, DEFAULT)):
        path = EXERCISES / folder / assignment / f"{assignment}.ipynb"
        if path.exists():
            return nbformat.read(path, as_version=4).cells
    return []


def _test_cell(grade_cell, source):
    """A test cell of the gradebook that the exercise here does not have."""
    graded = {"grade": True, "grade_id": grade_cell.name, "points": grade_cell.max_score, "solution": False, "task": False}
    graded |= {"locked": True, "schema_version": 3, "cell_type": "code"}
    return nbformat.v4.new_code_cell(source or "", metadata={"nbgrader": graded})


def _fill(cell, answer, language):
    """Put a student's answer into a solution cell. Returns what is to be said about it."""
    if answer is None:
        remark = message("This cell is missing from the submission.")
        cell.source = f"# {remark.say(language)}"
        return []
    cell.source = answer.source
    if answer.is_code or cell.cell_type != "code":
        if cell.cell_type == "markdown":
            cell.source = fenced(answer.source)
        return []
    remark = message(
        "Your answer stands in a text cell, and code in a text cell is not run. Turn it into a code cell and submit the notebook again."
    )
    cell.source = f"# {remark.say(language)}\n{cell.source}"
    return [remark]


def _heading(cell):
    """A text of the exercise, of which the heading is enough here; nothing where it has none."""
    found = next(filter(HEADING.match, _outside_fences(cell.source)), None)
    return [nbformat.v4.new_markdown_cell(found)] if found else []


def _outside_fences(text):
    """The lines of a Markdown text that are no code: a comment in Python looks like a heading."""
    fence = None
    for line in text.split("\n"):
        marks = FENCE.match(line)
        if fence is None and not marks:
            yield line
        elif fence is None:
            fence = marks[1]
        elif marks and marks[1].startswith(fence) and line.strip() == marks[1]:
            fence = None


def _own(cells):
    """A student's further cells. Their text stands in fences: it is never rendered."""
    new_code, new_text = nbformat.v4.new_code_cell, nbformat.v4.new_markdown_cell
    return [new_code(cell.source) if cell.is_code else new_text(fenced(cell.source)) for cell in cells]


def fenced(text):
    """A text as Markdown that shows it as it is."""
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}text\n{text}\n{fence}"


def _number(cells):
    """Ids that are the same in every run, and no two alike."""
    taken = set()
    for number, cell in enumerate(cells):
        wanted = cell.metadata.get("nbgrader", {}).get("grade_id") or f"cell-{number}"
        cell["id"] = wanted if re.fullmatch(r"[A-Za-z0-9_-]{1,64}", wanted) and wanted not in taken else f"cell-{number}"
        taken.add(cell["id"])
