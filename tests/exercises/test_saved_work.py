"""Making the exercises anew loses nobody's work."""

import json
import shutil
from pathlib import Path

import pytest

from autograder.exercise.nbgrader_course import EXERCISES
from autograder.release import is_worked_in, release, take_over


def test_a_folder_that_is_made_anew_is_never_without_a_file(tmp_path, monkeypatch):
    """Somebody may be grading, and reads it."""
    old, fresh = {"a": "1", "course/b": "1", "course/gone": "1", "old/c": "1"}, {"a": "2", "course/b": "2", "course/new": "2"}
    for folder, files in (("folder", old), ("fresh", fresh)):
        for name, text in files.items():
            (tmp_path / folder / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / folder / name).write_text(text)
    folder, replace, seen = tmp_path / "folder", Path.replace, []
    monkeypatch.setattr(Path, "replace", lambda path, place: (seen.append({"a", "course/b"} <= files_of(folder).keys()), replace(path, place)))
    take_over(tmp_path / "fresh", folder)
    assert seen == [True] * 3 and files_of(folder) == fresh and not (folder / "old").exists()


def files_of(folder):
    return {path.relative_to(folder).as_posix(): path.read_text() for path in folder.rglob("*") if path.is_file()}


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
