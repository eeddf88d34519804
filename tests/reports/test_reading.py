"""A folder of results: what is a result is read, what is none is named with the reason and stops nothing."""

import json
import os

import pytest

from autograder.names import safe_name
from autograder.reports import reading
from tests.reports.conftest import HOSTILE, NAME, flags, put, read, record


def changed(**fields):
    return json.dumps(record("x") | fields)



FOREIGN = {
    "empty": (b"", "not valid JSON"),
    "half": (b'{"schema": 1, "tests": [', "not valid JSON"),
    "bytes": (b"\xff\xfe\x00", "not UTF-8"),
    "deep": (b"[" * 200_000, "not valid JSON"),
    "list": (b"[1, 2]", "no JSON object"),
    "digits": (b'{"schema": ' + b"1" * 9000 + b"}", "not valid JSON"),
    "nan": (changed(score=float("nan")), "NaN"),
    "infinity": (changed(duration_s=float("inf")), "Infinity"),
    "overflow": (changed().replace('"duration_s": 0.5', '"duration_s": 1e999'), "`duration_s` is out of range"),
    "schema": (changed(schema=2), "schema 1"),
    "schema-bool": (changed(schema=True), "schema 1"),
    "other": (changed(assignment="gqa"), "another assignment (gqa)"),
    "no-student": (changed(student=""), "`student` is no name"),
    "student-list": (changed(student=["a"]), "`student` is not a text"),
    "score-text": (changed(score="10"), "`score` is not a number"),
    "score-bool": (changed(score=True), "`score` is not a number"),
    "score-high": (changed(score=11.0), "`score` is out of range"),
    "score-low": (changed(score=-1), "`score` is out of range"),
    "tests-none": (changed(tests=None), "`tests` is not a list"),
    "tests-many": (changed(tests=[{}] * 501), "more than 500"),
    "tests-text": (changed(tests=["a"]), "no test"),
    "status": (changed(tests=[record()["tests"][0] | {"status": "<b>"}]), "the status <b>"),
    "points": (changed(tests=[record()["tests"][0] | {"points": 99}]), "`points` is out of range"),
    "twice": (changed(tests=record()["tests"][:1] * 2), "twice"),
    "message": (changed(tests=[record()["tests"][0] | {"message": 5}]), "`message` is not a text"),
    "note": (changed(note={}), "`note` is not a text"),
    "flags": (changed(flags=["cheat"]), "no flag"),
}


@pytest.mark.usefixtures("tidy")
@pytest.mark.parametrize("kind", FOREIGN)
def test_a_foreign_file_is_named_and_stops_nothing(tmp_path, kind):
    data, reason = FOREIGN[kind]
    put(tmp_path, record("anna"))
    put(tmp_path, data, "broken")
    put(tmp_path, record("zoe"))
    found = read(tmp_path)
    assert [result.student for result in found.results] == ["anna", "zoe"]
    [(path, why)] = found.skipped
    assert path == f"broken/{NAME}.json" and reason in why


def test_what_is_no_file(tmp_path):
    put(tmp_path, record("anna"))
    (tmp_path / "folder" / f"{NAME}.json").mkdir(parents=True)
    (tmp_path / "pipe").mkdir()
    os.mkfifo(tmp_path / "pipe" / f"{NAME}.json")  # reading it would never end
    (tmp_path / "link").mkdir()
    (tmp_path / "link" / f"{NAME}.json").symlink_to(tmp_path / "nowhere")
    found = read(tmp_path)
    assert [path.split("/")[0] for path, _ in found.skipped] == ["folder", "link", "pipe"]
    assert {why for _, why in found.skipped} == {"it is not a file"} and len(found.results) == 1


def test_a_huge_file_is_not_read(tmp_path, monkeypatch):
    monkeypatch.setattr(reading, "LARGEST_FILE", 1000)
    put(tmp_path, record("anna"))
    assert "larger than" in read(tmp_path).skipped[0][1]


def test_other_files_are_nobodys_business(tmp_path):
    put(tmp_path, record("anna"))
    (tmp_path / "anna" / "gqa.json").write_text("{}")
    (tmp_path / "anna" / ".abc.part").write_text("{")
    (tmp_path / "summary.txt").write_text("x")
    (tmp_path / "empty").mkdir()
    assert read(tmp_path).skipped == ()


def test_one_result_a_student(tmp_path):
    for folder in ("a copy", "anna", "z copy"):
        put(tmp_path, record("anna", duration_s=1.0 if folder == "anna" else 2.0), folder)
    found = read(tmp_path)
    assert [result.duration_s for result in found.results] == [1.0]
    assert found.skipped == tuple((f"{folder}/{NAME}.json", "anna has a result in anna/ already") for folder in ("a copy", "z copy"))


def test_students_come_in_the_order_of_a_human(tmp_path):
    names = ["s2", "s10", "Anna", "bo", "S1"]
    for name in names:
        put(tmp_path, record(name))
    assert [result.student for result in read(tmp_path).results] == ["Anna", "bo", "S1", "s2", "s10"]


def test_fields_that_later_versions_may_add_or_leave_out(tmp_path):
    result = record("anna") | {"new": 1}
    del result["flags"], result["note"], result["seed"], result["language"]
    for test in result["tests"]:
        del test["part"]
    put(tmp_path, result)
    [read_back] = read(tmp_path).results
    assert read_back.flags == () and read_back.note is None and read_back.language == "und"


@pytest.mark.parametrize("number, kept, further", [(100, 100, 0), (101, 100, 1), (780, 100, 680)])
def test_flags_without_end_cost_nobody_the_result(tmp_path, number, kept, further):
    put(tmp_path, record("mallory", flags=flags(number)))
    found = read(tmp_path)
    [result] = found.results
    assert found.skipped == () and (len(result.flags), result.further_flags) == (kept, further)
    assert [evidence.split()[0] for _, evidence in result.flags[:2]] == ["0", "1"]


def test_what_the_grader_writes_is_read(needs_sandbox, assignment, tmp_path):
    from autograder import results
    from autograder.grade import Grader

    with Grader(assignment, "secret") as grader:
        for name in ("no-scale", "mask-inverted"):
            results.write(tmp_path, grader.grade(name, assignment.wrong[name].source.encode(), "x.py", language="ru"))
        results.write(tmp_path, grader.grade("unreadable", b"{", "x.ipynb"))
    found = read(tmp_path)
    assert found.skipped == () and [result.student for result in found.results] == ["mask-inverted", "no-scale", "unreadable"]
    assert [result.misconceptions for result in found.results] == [("mask-inverted",), ("no-scale",), ()]
    assert found.results[2].note and found.results[1].score == 8.25


def test_hostile_names_stay_apart_and_can_be_seen(hostile):
    names = [result.name for result in read(hostile).results]
    assert len(names) == len(set(names)) == len(HOSTILE)
    assert all(name.isprintable() or "\u200c" in name for name in names)
    assert len({safe_name(name) for name in HOSTILE}) == len(HOSTILE)
