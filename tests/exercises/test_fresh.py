"""exercises/ is what its sources give, in every language, to the byte."""

import shutil

import pytest

from autograder import assignment
from autograder.exercise.nbgrader_course import EXERCISES
from autograder.languages import LANGUAGES
from autograder.release import release, same_file
from book.tools import untranslated

LEFT = {"__pycache__", ".ipynb_checkpoints"}  # by running a notebook


def tree(folder):
    return {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file() and not LEFT & set(path.parts)}


def differing(left, right):
    """The files that are in one tree alone or differ."""
    left, right = tree(left), tree(right)
    alone = set(left) ^ set(right)
    return sorted(alone | {name for name in set(left) & set(right) if not same_file(left[name], right[name])})


def test_exercises_are_fresh(regenerated):
    assert differing(regenerated, EXERCISES) == [], "run `python -m autograder release`"


def test_a_second_run_gives_the_same_bytes(regenerated, tmp_path):
    again = ("single-head", "gqa")  # one on NumPy, one on PyTorch: a recording takes long
    release(again, out=tmp_path / "exercises", source=tmp_path / "source")
    for kind, first in (("exercises", regenerated), ("source", regenerated.parent / "source")):
        for code in LANGUAGES:
            for name in again:
                assert differing(first / code / name, tmp_path / kind / code / name) == []


def test_an_older_file_does_not_stay(regenerated, tmp_path):
    shutil.copytree(regenerated / "en" / "single-head", tmp_path / "en" / "single-head")
    (tmp_path / "en" / "single-head" / "course" / "older.py").write_text("x = 1")
    release(["single-head"], ["en"], out=tmp_path, source=tmp_path / "source")
    assert not (tmp_path / "en" / "single-head" / "course" / "older.py").exists()


def test_every_language_has_every_exercise_that_does_not_wait_for_a_translator():
    listed = untranslated.read()
    wanted = [(code, name) for code in LANGUAGES for name in assignment.names() if f"solutions/{code}/{name}.md" not in listed]
    missing = [f"{code}/{name}" for code, name in wanted if not (EXERCISES / code / name).is_dir()]
    assert missing == [], f"write solutions/<language>/<exercise>.md and run `make exercises`, or put it on the list in {untranslated.LIST}"


def test_every_exercise_is_there_in_english():
    assert [name for name in assignment.names() if f"solutions/en/{name}.md" in untranslated.read()] == []
    assert [name for name in assignment.names() if not (EXERCISES / "en" / name).is_dir()] == []


def test_an_unknown_language_is_named(tmp_path):
    with pytest.raises(ValueError, match="'fi'.*there is: en"):
        release(["single-head"], ["fi"], out=tmp_path, source=tmp_path)


def test_a_record_may_differ_in_its_last_digits_alone(tmp_path):
    kept = EXERCISES / "en" / "single-head" / "course" / "data.json"
    (tmp_path / "a").mkdir()
    other = tmp_path / "a" / "data.json"
    for new, same in (("0.1000000000001", True), ("0.1000000001", False)):
        text = kept.read_text(encoding="utf-8")
        assert "[0.1, 0.2, 0.6, 0.1]" in text
        other.write_text(text.replace("[0.1, 0.2, 0.6, 0.1]", f"[{new}, 0.2, 0.6, 0.1]", 1), encoding="utf-8")
        assert same_file(kept, other) is same
