"""The source notebook of an exercise: the prose of one language, the bodies of the reference solution, nbgrader's metadata.

Roles of the code cells in solutions/<language>/<assignment>.md, as options below the cell's head:

    :given: ID                  code that is given and cannot be changed; its functions' bodies come from the reference
    :solution: PART             the student's cell
    :helpers: [names]           of either: further functions that the reference needs, put after the last body
    :check: PART                the test cell, which carries the part's points
    :id: ID                     any other cell
A line `(label)=` at the top of a text gives that cell its id. `YOUR CODE HERE` in a text becomes what the language's stubs say.
"""

import re

import jupytext
import nbformat

from autograder.assignment import SOLUTIONS
from autograder.exercise.bodies import Code, Mismatch, fill
from autograder.exercise.nbgrader_course import YOUR_CODE
from autograder.languages import DEFAULT

ROLES = ("given", "solution", "check", "id")
LABEL = re.compile(r"\A\(([a-z0-9-]+)\)=\n+")
KERNEL = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}, "language_info": {"name": "python"}}


def prose(assignment, language):
    """The file of an assignment's prose in a language."""
    return SOLUTIONS / language / f"{assignment.name}.md"


def build(assignment, language):
    """The source notebook, solutions included. Raises Mismatch where the prose and the reference do not fit together."""
    path = prose(assignment, language)
    text = path.read_text(encoding="utf-8")
    if re.search(r"^\+\+\+", text, re.MULTILINE):
        raise Mismatch(f"{path}: a line `+++` would shift the metadata of the cells that follow; put a code cell between the texts")
    try:
        cells = [_cell(cell, assignment, language) for cell in jupytext.reads(text, fmt="md:myst").cells]
        _complete(cells, assignment)
    except (Mismatch, SyntaxError) as error:
        raise Mismatch(f"{path}: {error}") from error
    metadata = {**KERNEL, "course": {"assignment": assignment.name, "language": language}}
    return nbformat.from_dict({"nbformat": 4, "nbformat_minor": 5, "metadata": metadata, "cells": cells})


def _cell(cell, assignment, language):
    if cell.cell_type == "markdown":
        return _text_cell(cell.source, language)
    roles = [role for role in ROLES if role in cell.metadata]
    if len(roles) != 1:
        raise Mismatch(f"a code cell needs one of {', '.join(f':{role}:' for role in ROLES)}; it begins with {cell.source[:40]!r}")
    return MAKE[roles[0]](cell, assignment)


def _text_cell(source, language):
    label = LABEL.match(source)
    if not label:
        raise Mismatch(f"a text needs a line (label)= at its top; it begins with {source[:40]!r}")
    text = source[label.end() :].replace(f"`{YOUR_CODE[DEFAULT]}`", f"`{YOUR_CODE[language]}`")
    return nbformat.v4.new_markdown_cell(text, id=label[1])


def _given(cell, assignment):
    source = cell.source
    if Code.of(source).named:
        source = fill(source, assignment.solution_source, cell.metadata.get("helpers", []), marked=False)
    return _code(source, cell.metadata["given"], locked=True)


def _solution(cell, assignment):
    part, helpers = cell.metadata["solution"], cell.metadata.get("helpers", [])
    if part not in assignment.points:
        raise Mismatch(f":solution: {part} is no part of {assignment.name}; the parts are {', '.join(assignment.parts)}")
    return _code(fill(cell.source, assignment.solution_source, helpers), f"{part}-solution", solution=True)


def _check(cell, assignment):
    part = cell.metadata["check"]
    if part not in assignment.points:
        raise Mismatch(f":check: {part} is no part of {assignment.name}; the parts are {', '.join(assignment.parts)}")
    return _code(cell.source, part, grade=True, locked=True, points=assignment.points[part])


def _plain(cell, assignment):
    return nbformat.v4.new_code_cell(cell.source, id=cell.metadata["id"])


MAKE = {"given": _given, "solution": _solution, "check": _check, "id": _plain}


def _code(source, grade_id, **fields):
    """A code cell that nbgrader knows."""
    nbgrader = {"grade": False, "grade_id": grade_id, "locked": False, "schema_version": 3, "solution": False, "task": False, **fields}
    return nbformat.v4.new_code_cell(source, id=grade_id, metadata={"nbgrader": nbgrader})


def _complete(cells, assignment):
    """Raise Mismatch unless every part has its two cells, ids are unique, and all of the reference is somewhere."""
    ids = [cell.id for cell in cells]
    twice = {one for one in ids if ids.count(one) > 1}
    if twice:
        raise Mismatch(f"ids that occur twice: {', '.join(sorted(twice))}")
    missing = [one for part in assignment.parts for one in (part, f"{part}-solution") if one not in ids]
    if missing:
        raise Mismatch(f"cells that are missing: {', '.join(missing)}")
    checks = [one for one in ids if one in assignment.points]
    if checks != list(assignment.parts):
        raise Mismatch(f"the checks stand in the order {', '.join(checks)}, and assignment.toml has {', '.join(assignment.parts)}")
    found = {name for cell in cells if cell.cell_type == "code" for name in Code.of(cell.source).named}
    lost = set(Code.of(assignment.solution_source).named) - found
    if lost:
        raise Mismatch(f"functions of the reference that no cell has: {', '.join(sorted(lost))} (name them in :helpers:)")
