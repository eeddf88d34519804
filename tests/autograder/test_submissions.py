"""Finding submissions, and giving students' names to folders."""

import os
import pathlib

import pytest

from autograder.names import numbered, safe_name
from autograder.submissions import MAX_BYTES, NothingFound, find, passed_over


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


def test_a_link_to_a_classmates_work_gets_a_note(tmp_path):
    put(tmp_path / "ann" / "gqa" / "gqa.py")
    put(tmp_path / "ann" / "drafts" / "second.py")
    (tmp_path / "bo" / "gqa").mkdir(parents=True)
    (tmp_path / "bo" / "gqa" / "gqa.py").symlink_to("../../ann/gqa/gqa.py")
    (tmp_path / "cy").mkdir()
    (tmp_path / "cy" / "gqa").symlink_to("../ann/gqa")
    (tmp_path / "di").symlink_to("ann")
    put(tmp_path / "eve" / "drafts" / "second.py")
    (tmp_path / "eve" / "gqa").mkdir()
    (tmp_path / "eve" / "gqa" / "gqa.py").symlink_to("../drafts/second.py")
    put(tmp_path / "flat.py")
    (tmp_path / "link.py").symlink_to("flat.py")
    notes = {one.student: one.note and one.note.say("en") for one in find([tmp_path], "gqa")}
    assert [name for name, note in notes.items() if note is None] == ["ann", "eve", "flat"]  # what lies in a student's own folder may be linked to
    assert "a link" in notes["bo"] and "a link" in notes["cy"] and "a link" in notes["di"] and "a link" in notes["link"]
    assert find([tmp_path / "flat.py", tmp_path / "link.py"], "gqa")[1].note


def test_a_submission_in_a_linked_folder_of_the_instructors_is_nobody_elses(tmp_path):
    put(tmp_path / "real" / "ann" / "gqa" / "gqa.py")
    put(tmp_path / "real" / "flat.py")
    (tmp_path / "submitted").symlink_to(tmp_path / "real")
    paths = (tmp_path / "submitted", tmp_path / "submitted" / "flat.py", tmp_path / "submitted" / "ann")
    assert [one.note for path in paths for one in find([path], "gqa")] == [None] * 4


def closed(monkeypatch, module, name, to):
    """The function of the module is refused that path, as by a folder of mode 000: the tests may run as root."""
    real = getattr(module, name)

    def refused(path, *args, **keywords):
        if os.fspath(path) == os.fspath(to):
            raise PermissionError(13, "Permission denied", os.fspath(path))
        return real(path, *args, **keywords)

    monkeypatch.setattr(module, name, refused)


def test_a_closed_folder_stops_nobody(tmp_path, monkeypatch):
    for student in ("ann", "bo", "cy", "di", ".hidden"):
        put(tmp_path / student / "gqa" / "gqa.py")
    closed(monkeypatch, pathlib.Path, "iterdir", tmp_path / "bo" / "gqa")
    for student in ("cy", ".hidden"):
        closed(monkeypatch, os, "lstat", tmp_path / student / "gqa")
        closed(monkeypatch, pathlib.Path, "is_dir", tmp_path / student / "gqa")
    notes = {one.student: one.note and one.note.say("en") for one in find([tmp_path], "gqa")}
    assert notes == {"ann": None, "bo": notes["bo"], "cy": notes["bo"], "di": None} and "cannot be read (Permission denied)" in notes["bo"]
    assert passed_over([tmp_path], "gqa") == []


def test_a_closed_folder_of_the_instructors_is_named(tmp_path, monkeypatch):
    put(tmp_path / "ann" / "gqa" / "gqa.py")
    closed(monkeypatch, pathlib.Path, "iterdir", tmp_path)
    with pytest.raises(NothingFound, match="cannot be read"):
        find([tmp_path], "gqa")


def test_bare_files_get_their_stem_and_a_number(tmp_path):
    paths = [put(tmp_path / folder / "ann.ipynb") for folder in "abc"] + [put(tmp_path / "a" / "ann.py")]
    assert [(s.student, s.shared) for s in find(paths, "gqa")] == [("ann", None), ("ann-2", "ann"), ("ann-3", "ann"), ("ann-4", "ann")]


def test_a_file_that_is_given_twice_is_graded_once(tmp_path, monkeypatch):
    put(tmp_path / "ann" / "gqa" / "gqa.ipynb")
    put(tmp_path / "bo" / "gqa" / "gqa.ipynb")
    monkeypatch.chdir(tmp_path)
    assert [s.student for s in find([".", "ann", "bo/gqa/gqa.ipynb", tmp_path / "ann" / "gqa"], "gqa")] == ["ann", "bo"]


@pytest.mark.parametrize("path", ["ann/gqa/gqa.ipynb", "ann/gqa", "ann", "ann/", "./bo/../ann"])
def test_a_path_into_a_tree_is_that_students(tmp_path, path, monkeypatch):
    put(tmp_path / "ann" / "gqa" / "gqa.ipynb")
    put(tmp_path / "ann" / "gqa" / "notes.py")
    put(tmp_path / "ann" / "other.py")
    put(tmp_path / "bo" / "gqa" / "gqa.ipynb")
    monkeypatch.chdir(tmp_path)
    ann, = find([path], "gqa")
    assert (ann.student, ann.path.name, ann.note) == ("ann", "gqa.ipynb", None) and passed_over([path], "gqa") == []
    monkeypatch.chdir(tmp_path / "ann" / "gqa")
    assert [s.student for path in ("gqa.ipynb", ".", "..") for s in find([path], "gqa")] == ["ann"] * 3


def test_a_file_of_another_name_is_the_students_where_it_is_the_only_one(tmp_path):
    assert find([put(tmp_path / "ann" / "gqa" / "Untitled.ipynb")], "gqa")[0].student == "ann"


def test_a_classs_folder_may_have_the_assignments_name(tmp_path):
    paths = [put(tmp_path / "all" / "gqa" / f"{name}.ipynb") for name in ("ann", "bo")]
    assert [s.student for s in find(paths, "gqa")] == [s.student for s in find([tmp_path / "all" / "gqa"], "gqa")] == ["ann", "bo"]
    with pytest.raises(NothingFound, match="all"):
        find([tmp_path / "all"], "gqa")


def test_a_student_may_have_the_assignments_name(tmp_path):
    put(tmp_path / "gqa" / "gqa" / "gqa.ipynb")
    put(tmp_path / "ann" / "gqa" / "gqa.ipynb")
    assert [s.student for s in find([tmp_path], "gqa")] == ["ann", "gqa"]


def test_an_exercise_as_it_was_handed_out_is_nobodys(tmp_path):
    assert find([put(tmp_path / "exercises" / "sv" / "gqa" / "gqa.ipynb")], "gqa")[0].student == "gqa"


def test_a_file_in_a_students_folder_may_be_no_link_to_a_classmates(tmp_path):
    put(tmp_path / "ann" / "gqa" / "gqa.ipynb")
    (tmp_path / "bo" / "gqa").mkdir(parents=True)
    (tmp_path / "bo" / "gqa" / "gqa.ipynb").symlink_to("../../ann/gqa/gqa.ipynb")
    (bo,) = find([tmp_path / "bo" / "gqa" / "gqa.ipynb"], "gqa")
    assert bo.student == "bo" and "a link" in bo.note.say("en")


def test_moodles_folders_and_files_are_named_after_their_students(tmp_path):
    put(tmp_path / "Anna Ek_1234_assignsubmission_file_" / "my work.ipynb")
    put(tmp_path / "Anna Ek_77_assignsubmission_file" / "gqa.ipynb")
    put(tmp_path / "Bo Ek_5_assignsubmission_file_gqa.ipynb")
    put(tmp_path / "Cy Ek_6_assignsubmission_onlinetext" / "x.html")
    names = ["Anna Ek_1234", "Anna Ek_77", "Bo Ek_5"]
    assert sorted(s.student for s in find([tmp_path], "gqa")) == names
    assert [path.name for path in passed_over([tmp_path], "gqa")] == ["Cy Ek_6_assignsubmission_onlinetext"]
    assert sorted(s.student for s in find(tmp_path.rglob("*.ipynb"), "gqa")) == names
    assert [s.student for s in find([tmp_path / "Anna Ek_1234_assignsubmission_file_"], "gqa")] == names[:1]


def test_the_student_of_one_submission_can_be_given(tmp_path):
    paths = [put(tmp_path / f"{name}.ipynb") for name in ("a", "b")]
    assert [s.student for s in find(paths[:1], "gqa", "ann")] == ["ann"]
    with pytest.raises(NothingFound, match="2 submissions"):
        find(paths, "gqa", "ann")


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
