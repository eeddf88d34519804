"""Finding submissions, and giving students' names to folders."""

import os

import pytest

from autograder.names import numbered, safe_name
from autograder.submissions import MAX_BYTES, NothingFound, find


def put(path, data=b"{}"):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def test_a_submitted_tree(tmp_path):
    put(tmp_path / "ann" / "gqa" / "gqa.ipynb")
    put(tmp_path / "bo" / "other" / "other.ipynb")
    put(tmp_path / "cy" / "gqa" / "gqa.py")
    found = find([tmp_path], "gqa")
    assert [(s.student, s.path.name, s.note) for s in found] == [("ann", "gqa.ipynb", None), ("cy", "gqa.py", None)]


def test_a_renamed_notebook_is_taken_where_it_is_the_only_one(tmp_path):
    put(tmp_path / "ann" / "gqa" / "Untitled (1).ipynb")
    assert find([tmp_path], "gqa")[0].path.name == "Untitled (1).ipynb"


def test_of_several_the_one_named_after_the_assignment(tmp_path):
    put(tmp_path / "ann" / "gqa" / "gqa.ipynb")
    put(tmp_path / "ann" / "gqa" / "another.ipynb")
    put(tmp_path / "bo" / "gqa" / "one.ipynb")
    put(tmp_path / "bo" / "gqa" / "two.ipynb")
    ann, bo = find([tmp_path], "gqa")
    assert ann.path.name == "gqa.ipynb" and bo.path is None and "several" in bo.note.say("en")


def test_what_is_no_file_gets_a_note(tmp_path):
    secret = put(tmp_path / "elsewhere" / "secret.ipynb")
    tree = tmp_path / "submitted"
    (tree / "folder" / "gqa" / "gqa.ipynb").mkdir(parents=True)
    (tree / "nothing" / "gqa").mkdir(parents=True)
    (tree / "link" / "gqa").mkdir(parents=True)
    (tree / "link" / "gqa" / "gqa.ipynb").symlink_to(secret)
    (tree / "broken" / "gqa").mkdir(parents=True)
    (tree / "broken" / "gqa" / "gqa.ipynb").symlink_to(tmp_path / "nowhere")
    (tree / "linked").mkdir()
    (tree / "linked" / "gqa").symlink_to(secret.parent)
    (tree / "pipe" / "gqa").mkdir(parents=True)
    os.mkfifo(tree / "pipe" / "gqa" / "gqa.ipynb")
    with put(tree / "huge" / "gqa" / "gqa.ipynb").open("wb") as file:
        file.truncate(MAX_BYTES + 1)
    found = {s.student: s for s in find([tree], "gqa")}
    assert set(found) == {"folder", "nothing", "link", "broken", "linked", "pipe", "huge"}
    assert all(s.path is None and s.note.say("en") for s in found.values())


def test_bare_files_get_their_stem_and_a_number(tmp_path):
    paths = [put(tmp_path / folder / "ann.ipynb") for folder in "abc"] + [put(tmp_path / "a" / "ann.py")]
    assert [s.student for s in find(paths, "gqa")] == ["ann", "ann-2", "ann-3", "ann-4"]


def test_a_flat_folder_of_notebooks(tmp_path):
    put(tmp_path / "ann.ipynb")
    put(tmp_path / "bo.py")
    put(tmp_path / "readme.txt")
    assert [s.student for s in find([tmp_path], "gqa")] == ["ann", "bo"]


@pytest.mark.parametrize("name", ["missing.ipynb", "text.txt", "empty"])
def test_a_path_without_a_submission_is_named(tmp_path, name):
    (tmp_path / "empty").mkdir()
    put(tmp_path / "text.txt")
    with pytest.raises(NothingFound, match=name):
        find([tmp_path / name], "gqa")


HARMLESS = ["ann", "Мария Иванова", "李雷", "s-01_x.y@kth.se", "björn"]
ODD = ["..", ".", "", "a/b", "a\\b", "a\nb", "a\x00b", "\u202egpj.exe", ".hidden", "a..b", " ann", "ann ", "x" * 300, "con:", "a~b", "a_b\t", "e\u0301", "...", "a‮b"]


@pytest.mark.parametrize("name", HARMLESS)
def test_a_fit_name_stays(name):
    assert safe_name(name) == name


@pytest.mark.parametrize("name", ODD)
def test_an_unfit_name_is_made_fit(tmp_path, name):
    safe = safe_name(name)
    assert safe != name and ".." not in safe and not set(safe) & set("/\\\0\n\t\u202e:") and not safe.startswith(".") and len(safe.encode()) < 120
    (tmp_path / safe).mkdir()
    assert [p.name for p in tmp_path.iterdir()] == [safe]


def test_no_two_names_share_a_folder():
    names = HARMLESS + ODD + ["a_b", "a__b", "é", "x" * 80, "x" * 81, "x" * 82] + [safe_name(name) for name in ODD]
    assert len({safe_name(name) for name in dict.fromkeys(names)}) == len(dict.fromkeys(names))


def test_numbered():
    assert numbered("x", set()) == "x" and numbered("x", {"x", "x-2"}) == "x-3"
