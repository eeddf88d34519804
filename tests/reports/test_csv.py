"""The CSV is what `nbgrader export` would have written, and no spreadsheet computes anything in it."""

import csv
import io
import os
import sys
from pathlib import Path

import pytest

from autograder.reports import gradebook_csv
from tests.reports.conftest import HOSTILE, NAME, put, read, record


def rows(folder):
    return list(csv.DictReader(io.StringIO(gradebook_csv.render(read(folder)))))


def test_it_is_nbgraders_own(small, tmp_path_factory, monkeypatch):
    from nbgrader.api import Gradebook
    from nbgrader.plugins import CsvExportPlugin

    monkeypatch.setenv("PATH", str(Path(sys.executable).parent), prepend=os.pathsep)  # nbgrader calls alembic by its name
    target = tmp_path_factory.mktemp("nbgrader") / "grades.csv"
    with Gradebook("sqlite://") as gradebook:
        gradebook.add_assignment(NAME)
        gradebook.add_notebook("n", NAME)
        gradebook.add_grade_cell("c", "n", NAME, max_score=10.0, cell_type="code")
        for result in read(small).results:
            gradebook.add_student(result.student)
            gradebook.add_submission(NAME, result.student)
            gradebook.find_grade("c", "n", NAME, result.student).auto_score = result.score
        gradebook.db.commit()
        CsvExportPlugin(to=str(target)).export(gradebook)
    ours, theirs = (sorted(text.splitlines()) for text in (gradebook_csv.render(read(small)), target.read_text(encoding="utf-8")))
    assert ours == theirs and len(ours) == 5


def test_exact(tmp_path):
    put(tmp_path, record("Eriksson, Åsa", score=8.25))
    assert gradebook_csv.render(read(tmp_path)) == (
        "assignment,duedate,timestamp,student_id,last_name,first_name,email,raw_score,late_submission_penalty,score,max_score\n"
        'single-head,,,"Eriksson, Åsa",,,,8.25,0.0,8.25,10.0\n')


@pytest.mark.parametrize("name", ["=1+1", "+1", "-1", "@SUM(A1)", "  =1+1", "＝1+1", "－1", "|calc", "%x"])
def test_no_formula(name):
    assert gradebook_csv.harmless(name) == "'" + name


@pytest.mark.parametrize("name", ["anna", "s-01", "a=b", "", "李雷", "1"])
def test_ordinary_names_stay(name):
    assert gradebook_csv.harmless(name) == name


def test_hostile(hostile):
    found = rows(hostile)
    assert len(found) == len(HOSTILE) and all(set(row) == set(gradebook_csv.COLUMNS) for row in found)
    assert not any(value[:1] in "=+-@\t\r\n|" for row in found for value in row.values() if value)
    assert gradebook_csv.render(read(hostile)).count("\n") == len(HOSTILE) + 1
