"""Making the exercises anew loses nobody's work."""

import json
import shutil

import pytest

from autograder.exercise.nbgrader_course import EXERCISES
from autograder.release import is_worked_in, release


@pytest.fixture
def out(tmp_path):
    """A folder of exercises, with single-head in English."""
    shutil.copytree(EXERCISES / "en" / "single-head", tmp_path / "exercises" / "en" / "single-head", ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path / "exercises"


def make(out):
    release(["single-head"], ["en"], out=out, source=out.parent / "source")


def notebook_in(out):
    return out / "en" / "single-head" / "single-head.ipynb"


def test_an_untouched_notebook_is_simply_replaced(out):
    assert not is_worked_in(notebook_in(out))
    make(out)
    assert [path.name for path in (out / "en").iterdir()] == ["single-head"]


@pytest.mark.parametrize("kind", ["written in", "run", "broken"])
def test_a_notebook_that_was_worked_in_is_kept(out, kind, capsys):
    path = notebook_in(out)
    notebook = json.loads(path.read_text(encoding="utf-8"))
    cell = next(cell for cell in notebook["cells"] if cell["metadata"].get("nbgrader", {}).get("solution"))
    if kind == "written in":
        cell["source"] = "def softmax(x, axis=-1):\n    return mine"
    elif kind == "run":
        cell["execution_count"] = 3
    path.write_text("{" if kind == "broken" else json.dumps(notebook), encoding="utf-8")
    theirs = path.read_bytes()
    make(out)
    saved = out / "en" / "single-head.saved-1.ipynb"
    assert saved.read_bytes() == theirs and str(saved) in capsys.readouterr().out
    assert not is_worked_in(path)
    path.write_bytes(theirs)
    make(out)
    assert (out / "en" / "single-head.saved-2.ipynb").exists() and saved.read_bytes() == theirs
