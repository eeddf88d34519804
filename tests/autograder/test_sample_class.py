"""The sample class, graded by the command as an instructor would: every student gets the points that are due, and a note where one is."""

import json

import pytest

from autograder import results
from autograder.cli import main
from tests.sample_class.make import FOLDER
from tests.sample_class.students import CLASS


@pytest.fixture(scope="module")
def graded(needs_sandbox, tmp_path_factory):
    out = tmp_path_factory.mktemp("grades")
    assert main(["grade", str(FOLDER), "--assignment", "single-head", "--out", str(out), "--jobs", "2"]) == 0
    return out


def result_of(out, student):
    return json.loads(results.path_of(out, student.name, "single-head").read_text(encoding="utf-8"))


@pytest.mark.parametrize("student", CLASS, ids=lambda student: student.name)
def test_points(graded, student):
    result = result_of(graded, student)
    failed = [(test["id"], test["status"], test["message"]) for test in result["tests"] if test["status"] != "passed"]
    assert result["score"] == student.score, failed
    assert result["student"] == student.name and result["max_score"] == 10.0
    assert {test["misconception"] for test in result["tests"]} - {None} == set(student.misconceptions)
    assert bool(result["note"]) == student.note


@pytest.mark.parametrize("student", [student for student in CLASS if student.raw is None], ids=lambda student: student.name)
def test_language(graded, student):
    assert result_of(graded, student)["language"] == student.language


def test_one_result_each_and_nothing_else(graded):
    assert sorted(path.name for path in graded.iterdir()) == sorted(results.safe_name(student.name) for student in CLASS)
    assert len(list(graded.rglob("*.json"))) == len([path for path in graded.rglob("*") if path.is_file()]) == len(CLASS)


def test_four_languages_and_all_kinds_are_in_the_class():
    assert {student.language for student in CLASS} == {"en", "sv", "zh-CN", "ru"} and len(CLASS) >= 12
    assert {student.name for student in CLASS} == {path.name for path in FOLDER.iterdir()}
