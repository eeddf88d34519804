"""Whatever has happened to a submission: the points that are due arrive in the gradebook, or a note on the feedback page, and the batch goes on."""

import csv
import json
import re

import nbformat
import pytest

from autograder import batch, results, submissions
from autograder.messages import clean
from autograder.secret import course_secret
from tests.nbgrader import course as courses
from tests.nbgrader.malformed import ALL, CASES, NOTHING
from tests.sample_class.make import ASSIGNMENT


@pytest.fixture(scope="module")
def course(needs_sandbox, tmp_path_factory):
    """One batch with every case in it."""
    course = courses.make(tmp_path_factory)
    for name, (write, _, _) in CASES.items():
        folder = course / "submitted" / name / ASSIGNMENT
        folder.mkdir(parents=True)
        write(folder)
    before = snapshot(course / "submitted")
    courses.nbgrader(course, "autograde", ASSIGNMENT)
    courses.nbgrader(course, "generate_feedback", ASSIGNMENT)
    courses.nbgrader(course, "export")
    assert snapshot(course / "submitted") == before  # nothing of the students' has been changed
    return course


def snapshot(folder):
    return {path: (path.lstat().st_size, path.lstat().st_mtime_ns) for path in folder.rglob("*")}


def result_of(course, name):
    return json.loads(results.path_of(course / "grades", name, ASSIGNMENT).read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", CASES)
def test_points_are_where_they_belong(course, name):
    assert courses.points(course, name) == (CASES[name][1], False)


@pytest.mark.parametrize("name", CASES)
def test_the_feedback_says_why(course, name):
    page = (course / "feedback" / name / ASSIGNMENT / f"{ASSIGNMENT}.html").read_text(encoding="utf-8")
    result, shown = result_of(course, name), plain(page)
    assert bool(result["note"]) == CASES[name][2]
    for text in [result["note"]] if result["note"] else [test["message"] for test in result["tests"]]:
        assert plain(text) in shown
    assert f'<html lang="{result["language"]}">' in page
    assert "student." not in page and "compare_" not in page and len(page) < 200_000


def plain(text):
    """A text without its layout and escapes; code stands between backticks."""
    import html

    return " ".join(html.unescape(re.sub("</?code>", "`", text)).split())


def test_everybody_is_in_the_export(course):
    with (course / "grades.csv").open(encoding="utf-8") as file:
        exported = {row["student_id"]: float(row["score"]) for row in csv.DictReader(file)}
    assert exported == {name: sum(points.values()) for name, (_, points, _) in CASES.items()}


def test_the_points_are_those_of_the_command(course, tmp_path):
    found = [one for one in submissions.find([course / "submitted"], ASSIGNMENT) if one.student in ("untouched", "renamed", "utf16", "cut-off", "python-file", "saved-by-colab")]
    done, missing = batch.grade_all(found, batch.Settings(ASSIGNMENT, course_secret()), tmp_path)
    assert not missing and len(done) == 6
    for result in done:
        assert {test["part"]: 0 for test in result["tests"]} == dict.fromkeys(ALL, 0)
        assert result["score"] == sum(courses.points(course, result["student"])[0].values())


@pytest.mark.parametrize("name", [name for name, (_, points, _) in CASES.items() if points != NOTHING])
def test_instructors_can_read_the_work(course, name):
    notebook = nbformat.read(course / "autograded" / name / ASSIGNMENT / f"{ASSIGNMENT}.ipynb", as_version=4)
    nbformat.validate(notebook)
    tests = [cell.metadata.nbgrader.grade_id for cell in notebook.cells if cell.metadata.get("nbgrader", {}).get("grade")]
    assert tests == list(ALL)
    shown = "\n".join(cell.source for cell in notebook.cells)
    wanted = {"softmax", "attention", "causal_mask"} | ({"padding_mask"} if name != "solution-cell-deleted" else set())
    assert all(f"def {function}(" in shown for function in wanted)
    assert not any("attachments" in cell or (cell.cell_type == "code" and len(str(cell.outputs)) > 20_000) for cell in notebook.cells)


def test_answers_stand_in_their_cells(course):
    for name in ("grade-ids-changed", "answer-in-another-cell", "saved-by-colab", "saved-by-vs-code", "solution-cell-twice", "cells-backwards"):
        notebook = nbformat.read(course / "autograded" / name / ASSIGNMENT / f"{ASSIGNMENT}.ipynb", as_version=4)
        answers = {cell.metadata.nbgrader.grade_id: cell.source for cell in notebook.cells if cell.metadata.get("nbgrader", {}).get("solution")}
        assert all(f"def {answer.removesuffix('-solution')}(" in source for answer, source in answers.items()), name
        assert "NotImplementedError" not in answers["softmax-solution"]


def test_an_answer_in_a_text_cell_is_explained(course):
    page = plain((course / "feedback" / "solution-became-text" / ASSIGNMENT / f"{ASSIGNMENT}.html").read_text(encoding="utf-8"))
    assert page.count("Turn it into a code cell and submit the notebook again.") == 2  # above the tests, and in the cell


def test_none_of_the_students_other_files_is_published(course):
    for step in ("autograded", "feedback"):
        folder = course / step / "other-files-about" / ASSIGNMENT
        assert not {path.name for path in folder.rglob("*")} & {"evil.html", "gradebook.db", "pipe", "timestamp.txt"}
    assert "full points" not in (course / "autograded" / "other-files-about" / ASSIGNMENT / "course" / "__init__.py").read_text(encoding="utf-8")


def test_long_and_odd_texts_are_cut_and_cleaned():
    from autograder.gradebook.carried import LONGEST_CELL, shown

    assert len(shown("x" * 10_000_000)) <= LONGEST_CELL + 2
    assert not re.search("[\0\x1b\u202e\ud800]", shown("a\0\x1b[31m\u202eb\ud800"))
    assert shown("a\r\n\tb") == "a\n\tb" and clean("a") == "a"


def test_cells_without_end_are_cut_where_the_grader_cuts_them():
    from autograder.gradebook.carried import cells_of
    from autograder.notebook import MAX_CELLS

    cells = cells_of(b'{"cells": [' + b'{"cell_type": "code", "source": "def f(): pass"},' * MAX_CELLS * 2 + b"{}]}", "x.ipynb")
    assert len(cells) == MAX_CELLS and {cell.defines for cell in cells} == {frozenset("f")}


def test_each_cell_is_searched_for_definitions_once(monkeypatch):
    from autograder.gradebook import carried, clean_notebook

    class Counted:
        searched = 0

        def findall(self, source):
            self.searched += 1
            return before.findall(source)

    before, counted = carried.DEFINES, Counted()
    monkeypatch.setattr(carried, "DEFINES", counted)
    exercise = nbformat.read(clean_notebook.EXERCISES / "en" / ASSIGNMENT / f"{ASSIGNMENT}.ipynb", as_version=4).cells
    cells = [carried.Cell(f"def f{number}(): pass", True, frozenset({"softmax-solution"})) for number in range(300)] + [carried.Cell("def softmax(): pass", True)]
    sorted_out = carried.carry(cells, exercise)
    assert sorted_out.answers["softmax-solution"] is cells[-1]
    assert counted.searched == len(cells) + sum(map(carried.is_solution, exercise))
