"""The command: its files, its exit codes, and that a fault in one place stops nothing elsewhere."""

import csv
import json
import os
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

import pytest

from autograder.cli import main
from tests.reports.conftest import NAME, flags, put, record


def report(*arguments):
    try:
        return main(["report", *map(str, arguments)])
    except SystemExit as exit:
        return exit.code


def test_without_a_format_a_table(small, capsys):
    assert report(small, "--assignment", NAME) == 0
    captured = capsys.readouterr()
    assert captured.out.startswith("anna ") and "4 submissions" in captured.out and "no-scale" in captured.out and captured.err == ""


def test_all_formats_at_once(small, tmp_path, capsys):
    out = tmp_path / "made" / "here"
    assert report(small, "--assignment", NAME, "--html", out / "class.html", "--csv", out / "grades.csv", "--junit", out / "junit.xml",
                  "--gradescope", out / "gs", "--summary", out / "summary.md") == 0
    assert capsys.readouterr().out == ""
    assert (out / "class.html").read_text(encoding="utf-8").startswith("<!doctype html>")
    with open(out / "grades.csv", encoding="utf-8", newline="") as file:
        assert [row["score"] for row in csv.DictReader(file)] == ["10.0", "8.5", "0.0", "9.0"]
    assert len(ElementTree.parse(out / "junit.xml").getroot()) == 4
    made = sorted(path.relative_to(out / "gs").as_posix() for path in (out / "gs").rglob("*.json"))
    assert made == [f"{student}/results.json" for student in ("Björn", "anna", "zoe", "李雷")]
    assert (out / "summary.md").read_text(encoding="utf-8").startswith("## ")
    assert not list(out.rglob("*.part"))


def test_a_broken_file_is_1_and_the_rest_is_there(small, tmp_path, capsys):
    put(small, b'{"schema": 1', "broken")
    put(small, record("x", assignment="gqa"), "foreign")
    assert report(small, "--assignment", NAME, "--csv", tmp_path / "c.csv", "--html", tmp_path / "c.html") == 1
    error = capsys.readouterr().err
    assert f"passed over broken/{NAME}.json: it is not valid JSON" in error
    assert f"foreign/{NAME}.json: it is a result of another assignment (gqa)" in error
    assert len((tmp_path / "c.csv").read_text(encoding="utf-8").splitlines()) == 5
    assert "2 files were passed over" in (tmp_path / "c.html").read_text(encoding="utf-8")


def test_a_broken_file_is_1_for_the_shell_too(small):
    put(small, b"{", "broken")
    command = [sys.executable, "-m", "autograder", "report", str(small), "--assignment", NAME]
    run = subprocess.run(command, capture_output=True, env={**os.environ, "PYTHONIOENCODING": "ascii"})
    assert run.returncode == 1 and b"\\u674e\\u96f7" in run.stdout and b"Bj\\xf6rn" in run.stdout and b"passed over" in run.stderr


def test_many_flags_cost_nobody_the_row(small, tmp_path, capsys):
    put(small, record("mallory", flags=flags(780)))
    assert report(small, "--assignment", NAME, "--csv", tmp_path / "c.csv") == 0
    assert "mallory" in (tmp_path / "c.csv").read_text(encoding="utf-8") and "passed over" not in capsys.readouterr().err


def test_all_broken_is_1(tmp_path, capsys):
    put(tmp_path, b"{", "broken")
    assert report(tmp_path, "--assignment", NAME, "--html", tmp_path / "c.html", "--junit", tmp_path / "j.xml") == 1
    assert (tmp_path / "c.html").exists() and len(ElementTree.parse(tmp_path / "j.xml").getroot()) == 0


@pytest.mark.parametrize("arguments, said", [
    (["nowhere", "--assignment", NAME], "nowhere cannot be read (No such file or directory)"),
    (["empty", "--assignment", NAME], "there should be"),
    (["empty", "--assignment", "no-such"], "invalid choice"),
    (["empty"], "--assignment"),
    (["--assignment", NAME], "DIR"),
    (["empty", "--assignment", NAME, "--pdf", "x"], "--pdf"),
])
def test_wrong_usage_is_2(tmp_path, monkeypatch, capsys, arguments, said):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty").mkdir()
    assert report(*arguments) == 2 and said in capsys.readouterr().err


def test_what_cannot_be_written_is_2_and_the_rest_is_there(small, tmp_path, capsys):
    (tmp_path / "a-file").write_text("")
    assert report(small, "--assignment", NAME, "--html", tmp_path / "a-file" / "c.html", "--csv", tmp_path / "c.csv") == 2
    assert "c.html cannot be written (" in capsys.readouterr().err and (tmp_path / "c.csv").exists()


def test_a_report_is_replaced_whole(small, tmp_path, monkeypatch):
    target = tmp_path / "c.csv"
    target.write_text("before")

    def broken(*arguments):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", broken)
    assert report(small, "--assignment", NAME, "--csv", target) == 2
    assert target.read_text() == "before" and not list(tmp_path.glob("*.part"))


def test_the_summary_on_the_standard_output(small, capsys):
    assert report(small, "--assignment", NAME, "--summary", "-") == 0
    assert capsys.readouterr().out.startswith("## single-head\n")


def test_githubs_own_file_is_added_to(small, tmp_path, monkeypatch):
    target = tmp_path / "summary.md"
    target.write_text("before\n")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(target))
    assert report(small, "--assignment", NAME, "--summary", target) == 0
    assert target.read_text(encoding="utf-8").startswith("before\n## single-head\n")


def test_hostile_names_leave_the_folder_of_gradescope_alone(hostile, tmp_path):
    out = tmp_path / "gs"
    assert report(hostile, "--assignment", NAME, "--gradescope", out) == 0
    found = list(out.rglob("*"))
    assert len([path for path in found if path.is_file()]) == len(list(out.iterdir())) == len({p.parent for p in found if p.is_file()})
    assert {json.loads(path.read_text(encoding="utf-8"))["score"] for path in out.rglob("results.json")} == {9.5}
    assert {path.name for path in tmp_path.iterdir() if not path.name.startswith("h")} == {"gs"}
