"""What nbgrader's commands refuse: in one sentence, and before anything is done."""

import pytest

from autograder.assignment import ROOT
from tests.nbgrader import course as courses
from tests.nbgrader.malformed import FILE, good, text
from tests.sample_class.make import ASSIGNMENT


@pytest.fixture
def course(tmp_path):
    """A course folder with two submissions, in which no command has run."""
    (tmp_path / "nbgrader_config.py").write_text(f'load_subconfig("nbgrader_config.py", path={str(ROOT / "autograder")!r})\n', encoding="utf-8")
    for student in ("anna", "bob"):
        folder = tmp_path / "submitted" / student / ASSIGNMENT
        folder.mkdir(parents=True)
        (folder / FILE).write_text(text(good()), encoding="utf-8")
    return tmp_path


def refused(course, *arguments):
    """What a command says that refuses: a line."""
    (line,) = courses.nbgrader(course, *arguments, returncode=1).splitlines()
    return line


def test_grading_before_the_assignment_is_in_the_gradebook(needs_sandbox, course):
    assert "run `nbgrader generate_assignment single-head` first" in refused(course, "autograde", ASSIGNMENT)
    assert not (course / "autograded").exists() and not (course / "grades").exists()


def test_an_assignment_that_has_not_been_made(course):
    with (course / "nbgrader_config.py").open("a", encoding="utf-8") as file:
        file.write("c = get_config()\nc.CourseDirectory.source_directory = 'nothing-here'\n")
    assert f"run `make exercises` in {ROOT} first" in refused(course, "generate_assignment", ASSIGNMENT)


def test_another_environment(course):
    """What the course needs is missing there: nothing is executed."""
    with (course / "nbgrader_config.py").open("r+", encoding="utf-8") as file:
        before = file.read()
        file.seek(0)
        file.write(f"import sys\nsys.modules['autograder.gradebook.isolated_scores'] = None\n{before}")
    assert refused(course, "autograde", ASSIGNMENT).endswith("activate the environment of the course's repository first")
    assert not (course / "autograded").exists()


@pytest.mark.parametrize("command", ["generate_assignment", "autograde"])
def test_a_language_that_the_course_does_not_have(course, monkeypatch, command):
    """The command ends: without this configuration nbgrader would execute the notebooks itself."""
    monkeypatch.setenv("COURSE_LANGUAGE", "de")
    assert refused(course, command, ASSIGNMENT) == "nbgrader: the course has no language 'de' (COURSE_LANGUAGE); it has: en, sv, zh-CN, ru"
