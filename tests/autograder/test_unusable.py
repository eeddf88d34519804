"""A file of an assignment's own that cannot be used is named in one line, with what to write, by every command that needs it."""

import shutil

import pytest

from autograder import assignment, verify
from autograder.assignment import Unusable, read
from autograder.cli import main
from autograder.grade import Grader

SYNTAX = '"""Told."""\n\n\ndef softmax(x, axis=-1:\n    return x\n'
NO_DOCSTRING = "def softmax(x, axis=-1):\n    return x\n"
TOLD = '"""It adds nothing up."""\n\n\ndef softmax(x, axis=-1):\n    return x\n'


@pytest.fixture
def exercise(tmp_path, monkeypatch):
    """A copy of single-head with few wrong solutions, which the commands take for the only exercise."""
    folder = tmp_path / "single-head"
    shutil.copytree(assignment.ASSIGNMENTS / "single-head", folder)
    for path in folder.glob("wrong/[a-rt-z]*.py"):
        path.unlink()
    monkeypatch.setattr(assignment, "ASSIGNMENTS", tmp_path)
    monkeypatch.setattr(assignment, "ROOT", tmp_path)
    assignment.load.cache_clear()
    yield folder
    assignment.load.cache_clear()


@pytest.fixture
def broken(exercise):
    (exercise / "wrong" / "w-nodoc.py").write_text(NO_DOCSTRING)
    (exercise / "wrong" / "w-syntax.py").write_text(SYNTAX)
    return exercise


NAMED = ["single-head/wrong/w-nodoc.py: it has no docstring, and that is what the student is told",
         "single-head/wrong/w-syntax.py, line 4: invalid syntax"]


def test_verify_names_the_files_under_a_cross(broken, capsys):
    assert main(["verify", "single-head"]) == 1
    printed = capsys.readouterr()
    assert printed.err == "" and [line.strip() for line in printed.out.splitlines() if line.startswith("      ")] == NAMED


def test_grade_names_them_once_and_grades_nobody(broken, tmp_path, capsys):
    (tmp_path / "x.py").write_text("x = 1")
    assert main(["grade", str(tmp_path / "x.py"), "--assignment", "single-head", "--out", str(tmp_path / "out"), "--jobs", "2"]) == 2
    assert capsys.readouterr().err.splitlines() == [f"autograder: {NAMED[0]}", NAMED[1]] and not (tmp_path / "out").exists()
    with pytest.raises(Unusable), Grader(read(broken), "a secret"):
        pass


@pytest.mark.parametrize("left", ["w-nodoc.py", "w-syntax.py"])
def test_messages_names_the_file(broken, tmp_path, monkeypatch, capsys, left):
    from autograder import catalogue

    for path in broken.glob("wrong/w-*.py"):
        if path.name != left:
            path.unlink()
    monkeypatch.setattr(catalogue, "PACKAGE", tmp_path)
    monkeypatch.setattr(catalogue, "ASSIGNMENTS", tmp_path)
    monkeypatch.setattr(catalogue, "LOCALE", tmp_path / "locale")
    assert main(["messages"]) == 2
    assert capsys.readouterr().err.strip() == f"autograder: {NAMED['nodoc' not in left]}" and not list(tmp_path.rglob("*.po"))


def test_messages_names_the_file_to_translate_in(monkeypatch, capsys):
    from autograder import catalogue

    monkeypatch.setattr(catalogue, "update", lambda: None)
    monkeypatch.setattr(catalogue, "missing", lambda language: ["One.", "Two."] if language == "zh-CN" else [])
    monkeypatch.setattr(catalogue, "waiting", lambda language: {})
    assert main(["messages"]) == 1
    assert capsys.readouterr().out.splitlines() == [
        "zh-CN: One.", "zh-CN: Two.", "zh-CN: to be translated in autograder/locale/zh_CN/LC_MESSAGES/autograder.po"]


def test_what_a_file_raises_when_it_is_executed_names_it(exercise):
    (exercise / "wrong" / "w-raises.py").write_text('"""Told."""\n\n1 / 0\n')
    with pytest.raises(Unusable, match="single-head/wrong/w-raises.py: ZeroDivisionError"):
        read(exercise).wrong["w-raises"].namespace()


def test_hidden_tests_that_are_no_python_are_named_with_the_line(exercise, needs_sandbox, capsys):
    (exercise / "test_hidden.py").write_text("import numpy\nthis is no Python\n")
    assert main(["verify", "single-head"]) == 2
    assert "cannot be collected: single-head/test_hidden.py, line 2: invalid syntax" in capsys.readouterr().err


def test_a_wrong_solution_that_no_test_names_says_what_to_write(exercise, grader):
    (exercise / "wrong" / "w-new.py").write_text(TOLD)
    loaded = read(exercise)
    problem = verify.caught(grader, loaded.wrong["w-new"]).problem
    assert "single-head/test_hidden.py" in problem and '@catches("w-new")' in problem
    two = verify.misplaced(loaded.wrong["w-new"], grader.hidden.tests[:2])
    assert "2 tests in single-head/test_hidden.py" in two and two.endswith("test_softmax_rows, test_softmax_axis")


def test_a_name_in_catches_that_is_no_wrong_solutions_is_told(exercise, grader):
    told = verify.unnamed(grader.hidden.tests, read(exercise))
    assert "no-scale: single-head.attention-scale names it in @catches, and there is no single-head/wrong/no-scale.py" in told
