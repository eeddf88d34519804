"""nbgrader's own commands, with the course's configuration, in a course folder of their own: the same scores arrive in the gradebook."""

import csv
import json
import shutil
from pathlib import Path

import nbformat
import pytest

from autograder import results
from autograder.assignment import ROOT
from autograder.gradebook.isolated_scores import outputs_of
from tests.nbgrader.course import make, nbgrader
from tests.sample_class.make import FOLDER

STUDENTS = ("anna", "elin", "edward", "igor")


@pytest.fixture(scope="module")
def course(needs_sandbox, tmp_path_factory):
    """A course folder that has been through generate, autograde, feedback and export."""
    course = make(tmp_path_factory)
    for student in STUDENTS:
        shutil.copytree(FOLDER / student, course / "submitted" / student)
    nbgrader(course, "autograde", "single-head")
    nbgrader(course, "generate_feedback", "single-head")
    nbgrader(course, "export")
    return course


def test_exported_scores_are_those_of_the_isolated_run(course):
    with (course / "grades.csv").open() as file:
        exported = {row["student_id"]: (float(row["score"]), float(row["max_score"])) for row in csv.DictReader(file)}
    ours = {}
    for student in STUDENTS:
        result = json.loads(results.path_of(course / "grades", student, "single-head").read_text(encoding="utf-8"))
        ours[student] = (result["score"], result["max_score"])
    assert exported == ours
    assert ours["anna"] == (10.0, 10.0) and ours["edward"] == (0.0, 10.0) and 0 < ours["elin"][0] < 10


def test_parts_get_their_partial_points(course):
    from nbgrader.api import Gradebook

    with Gradebook(f"sqlite:///{course / 'gradebook.db'}") as gradebook:
        submission = gradebook.find_submission_notebook("single-head", "single-head", "igor")
        points = {grade.name: (grade.auto_score, grade.max_score, bool(grade.needs_manual_grade)) for grade in submission.grades}
    assert points == {"softmax": (3.0, 3.0, False), "attention": (5.0, 5.0, False), "causal_mask": (0.5, 1.0, False), "padding_mask": (1.0, 1.0, False)}


def test_feedback_shows_the_messages_in_the_students_language_and_no_hidden_test(course):
    page = (course / "feedback" / "elin" / "single-head" / "single-head.html").read_text(encoding="utf-8")
    result = json.loads(results.path_of(course / "grades", "elin", "single-head").read_text(encoding="utf-8"))
    assert result["language"] == "sv"
    message = next(test["message"] for test in result["tests"] if test["misconception"] == "no-scale")
    text = " ".join(page.replace("&#39;", "'").split())
    assert " ".join(message.splitlines()[-1].split()) in text
    assert "compare_attention" not in page and "student.attention" not in page


def test_a_result_that_is_there_is_used(course):
    path = results.path_of(course / "grades", "anna", "single-head")
    result = results.read(path)
    results.write(course / "grades", result | {"duration_s": 12345.0})  # nobody would measure that
    nbgrader(course, "autograde", "single-head", "--student=anna", "--force")
    assert results.read(path)["duration_s"] == 12345.0
    results.write(course / "grades", result | {"assignment_version": "an older one"})
    nbgrader(course, "autograde", "single-head", "--student=anna", "--force")
    assert results.read(path)["assignment_version"] == result["assignment_version"]


@pytest.mark.parametrize("points, maximum, expected", [(0.0, 3.0, 0.0), (0.5, 3.0, 0.5), (3.0, 3.0, 3.0), (3.0, 6.0, 6.0), (0.1 + 0.2, 3.0, 0.3)])
def test_nbgrader_reads_the_points_as_they_are(points, maximum, expected):
    from nbgrader.utils import determine_grade

    tests = [{"part": "softmax", "status": "failed", "points": points, "max_points": 3.0, "message": "x"}]
    cell = nbformat.v4.new_code_cell("check()", metadata={"nbgrader": {"grade": True, "solution": False, "grade_id": "softmax", "points": maximum, "schema_version": 3}})
    cell.outputs = outputs_of(cell.metadata["nbgrader"], {"tests": tests, "note": None})
    assert determine_grade(cell) == (expected, maximum)


def test_a_cell_without_tests_gets_nothing():
    outputs = outputs_of({"grade_id": "other", "points": 2}, {"tests": [], "note": "Nothing to read."})
    assert outputs[0]["data"]["text/plain"] == "0.0" and "Nothing to read." in outputs[1]["text"]


def test_the_configuration_is_where_the_readme_says():
    assert (Path(ROOT) / "autograder" / "nbgrader_config.py").exists()
