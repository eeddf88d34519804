"""A course folder for tests: nbgrader's own commands in it, with the course's configuration."""

import os
import subprocess
import sys

from autograder.assignment import ROOT
from autograder.release import release
from tests.sample_class.make import ASSIGNMENT


def nbgrader(course, *arguments, returncode=0):
    """Run an nbgrader command in a course folder; returns what it printed."""
    run = subprocess.run([sys.executable, "-m", "nbgrader", *arguments], cwd=course, capture_output=True, text=True, env=environment())
    assert run.returncode == returncode, run.stdout + run.stderr
    return run.stdout + run.stderr


def environment():
    return os.environ | {"PYTHONPATH": ""}


def make(factory, more=""):
    """A course folder whose gradebook knows the assignment; `more` is added to its configuration."""
    source = factory.mktemp("source")  # its own: other tests make theirs at the same time
    release([ASSIGNMENT], ["en"], out=factory.mktemp("exercises"), source=source)  # makes the source version that nbgrader reads
    course = factory.mktemp("course")
    config = (f'load_subconfig("nbgrader_config.py", path={str(ROOT / "autograder")!r})\n'
              f'c = get_config()\nc.CourseDirectory.source_directory = {str(source / "en")!r}\n')
    (course / "nbgrader_config.py").write_text(config + more, encoding="utf-8")
    nbgrader(course, "generate_assignment", ASSIGNMENT)
    return course


def points(course, student, db_url=None):
    """{part: points} and whether any part waits for a manual grade, from the gradebook."""
    from nbgrader.api import Gradebook

    with Gradebook(db_url or f"sqlite:///{course / 'gradebook.db'}") as gradebook:
        grades = gradebook.find_submission_notebook(ASSIGNMENT, ASSIGNMENT, student).grades
        return {grade.name: grade.auto_score for grade in grades}, any(grade.needs_manual_grade for grade in grades)
