"""The command: its exit codes, and the same results on one process, on several, and on a cluster."""

import json
import os
import shutil
import subprocess
import sys

import pytest

from autograder.cli import main


@pytest.fixture
def two(tmp_path, single_head):
    """A folder with a right and a wrong submission."""
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "right.py").write_text(single_head.solution_source, encoding="utf-8")
    (tmp_path / "in" / "wrong.py").write_text(single_head.wrong["no-scale"].source, encoding="utf-8")
    return tmp_path / "in"


def results_in(folder):
    """The results without what depends on the machine."""
    found = {path.parent.name: json.loads(path.read_text(encoding="utf-8")) for path in folder.glob("*/single-head.json")}
    return {name: {key: value for key, value in result.items() if key not in ("duration_s", "peak_memory_bytes")} for name, result in found.items()}


def test_one_process_several_and_a_cluster_agree(needs_sandbox, two, tmp_path, capsys):
    from dask.distributed import LocalCluster

    command = ["grade", str(two), "--assignment", "single-head", "--seed", "3", "--language", "ru"]
    assert main([*command, "--out", str(tmp_path / "a")]) == 0
    assert main([*command, "--out", str(tmp_path / "b"), "--jobs", "2"]) == 0
    with LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=None) as cluster:
        assert main([*command, "--out", str(tmp_path / "c"), "--scheduler", cluster.scheduler_address]) == 0
    a, b, c = (results_in(tmp_path / name) for name in "abc")
    assert a == b == c and set(a) == {"right", "wrong"} and a["right"]["score"] == 10.0 > a["wrong"]["score"]
    assert "no-scale" in capsys.readouterr().out


@pytest.mark.parametrize("arguments", [
    ["grade", "nowhere.ipynb", "--assignment", "single-head", "--out", "x"],
    ["grade", "x.ipynb", "--assignment", "no-such", "--out", "x"],
    ["grade", "x.ipynb", "--out", "x"],
    ["grade", "x.ipynb", "--assignment", "single-head", "--out", "x", "--jobs", "0"],
    [],
])
def test_wrong_usage_is_2(needs_sandbox, arguments, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    try:
        code = main(arguments)
    except SystemExit as exit:
        code = exit.code
    assert code == 2 and capsys.readouterr().err and list(tmp_path.iterdir()) == []


def test_a_missing_result_is_1(needs_sandbox, two, tmp_path, monkeypatch, capsys):
    from autograder import batch

    def broken(grader, task, settings):
        if task.student == "right":
            raise RuntimeError("a fault of the grader")
        return real(grader, task, settings)

    real = batch.grade_task
    monkeypatch.setattr(batch, "grade_task", broken)
    assert main(["grade", str(two), "--assignment", "single-head", "--out", str(tmp_path / "out")]) == 1
    assert set(results_in(tmp_path / "out")) == {"wrong"} and "no result for right" in capsys.readouterr().err


def test_without_bubblewrap_it_refuses_and_says_why(two, tmp_path):
    code = "import shutil; shutil.which = lambda name: None\nimport sys\nfrom autograder.cli import main\nsys.exit(main(sys.argv[1:]))"
    run = subprocess.run([sys.executable, "-c", code, "grade", str(two), "--assignment", "single-head", "--out", str(tmp_path / "out")], capture_output=True, text=True)
    assert run.returncode == 2 and "apt install bubblewrap" in run.stderr and "--sandbox none" in run.stderr
    assert not (tmp_path / "out").exists()


def test_sandbox_none_has_to_be_asked_for(two, tmp_path):
    assert main(["grade", str(two / "right.py"), "--assignment", "single-head", "--out", str(tmp_path / "out"), "--sandbox", "none"]) == 0
    assert results_in(tmp_path / "out")["right"]["score"] == 10.0


def test_the_module_is_a_command():
    assert shutil.which(sys.executable)
    run = subprocess.run([sys.executable, "-m", "autograder", "--help"], capture_output=True, text=True)
    assert run.returncode == 0 and "grade" in run.stdout


def test_a_file_name_that_is_not_utf_8_gets_its_result(needs_sandbox, tmp_path, single_head, capsys):
    place = os.fsencode(tmp_path / "in")
    os.mkdir(place)
    with open(os.path.join(place, b"\xff\x1b[31m.py"), "w", encoding="utf-8") as file:
        file.write(single_head.solution_source)
    assert main(["grade", str(tmp_path / "in"), "--assignment", "single-head", "--out", str(tmp_path / "out")]) == 0
    (path,) = (tmp_path / "out").glob("*/single-head.json")
    assert json.loads(path.read_text(encoding="utf-8"))["score"] == 10.0 and "\x1b" not in "".join(capsys.readouterr())


def test_results_that_cannot_be_written_are_2_before_anything_is_graded(needs_sandbox, two, tmp_path, capsys):
    (tmp_path / "file").write_text("")
    assert main(["grade", str(two), "--assignment", "single-head", "--out", str(tmp_path / "file")]) == 2
    assert "cannot be written" in capsys.readouterr().err


def test_what_is_passed_over_is_named(needs_sandbox, two, tmp_path, capsys):
    (two / "greta" / "singlehead").mkdir(parents=True)
    (two / "notes.txt").write_text("")
    assert main(["grade", str(two), "--assignment", "single-head", "--out", str(tmp_path / "out")]) == 0
    printed = capsys.readouterr().err
    assert "greta" in printed and "notes.txt" in printed


def test_what_is_graded_again_is_said(needs_sandbox, two, tmp_path, capsys):
    command = ["grade", str(two), "--assignment", "single-head", "--out", str(tmp_path / "out")]
    assert main(command) == 0 and "current" not in capsys.readouterr().err
    assert main(command) == 0 and "autograder: 2 results are current, 0 to grade" in capsys.readouterr().err
    (two / "wrong.py").write_text("", encoding="utf-8")
    assert main(command) == 0 and "autograder: 1 result is current, 1 to grade" in capsys.readouterr().err


def test_a_seed_replaces_no_results_of_another(needs_sandbox, two, tmp_path, capsys):
    """An appeal, say, in the folder of the official results."""
    command = ["grade", str(two / "wrong.py"), "--assignment", "single-head", "--out", str(tmp_path / "out")]
    assert main([*command, "--seed", "3"]) == 0
    before = results_in(tmp_path / "out")
    capsys.readouterr()
    assert main([*command, "--seed", "5"]) == 2
    assert "another folder with --out" in capsys.readouterr().err and results_in(tmp_path / "out") == before
    assert main([*command, "--seed", "3"]) == 0 and results_in(tmp_path / "out") == before
    assert main([*command, "--seed", "5", "--force"]) == 0 and results_in(tmp_path / "out")["wrong"]["seed"] == 5


def test_whose_work_it_is(needs_sandbox, two, tmp_path, capsys):
    """A name that two share is said, and one can be given; a path into a tree is its student's."""
    (two / "tree" / "ann" / "single-head").mkdir(parents=True)
    shutil.copy(two / "right.py", two / "tree" / "ann" / "single-head" / "single-head.py")
    shutil.copy(two / "wrong.py", tmp_path / "ann.py")
    command = ["grade", "--assignment", "single-head", "--out", str(tmp_path / "out")]
    assert main([*command, str(two / "tree" / "ann"), str(tmp_path / "ann.py")]) == 0
    graded = results_in(tmp_path / "out")
    assert graded["ann"]["score"] == 10.0 > graded["ann-2"]["score"]
    assert f"{tmp_path / 'ann.py'}: ann has a submission already; this one is graded as ann-2" in capsys.readouterr().err
    assert main([*command, str(tmp_path / "ann.py"), "--student", "Anna Ek"]) == 0 and results_in(tmp_path / "out")["Anna Ek"]["score"] < 10.0
    assert main([*command, str(two), "--student", "Anna Ek"]) == 2 and "there are 2 submissions" in capsys.readouterr().err


def test_a_terminal_that_is_not_utf_8_gets_the_summary_too(needs_sandbox, two, tmp_path, monkeypatch):
    (two / "right.py").rename(two / "李雷.py")
    command = [sys.executable, "-m", "autograder", "grade", "--assignment", "single-head", "--language", "ru", "--out", str(tmp_path / "out")]
    for path, told in ((two, b"\\u674e\\u96f7"), (two / "wrong.py", b"\\u2717 single-head")):
        run = subprocess.run([*command, str(path)], capture_output=True, env={**os.environ, "PYTHONIOENCODING": "latin-1"})
        assert run.returncode == 0 and told in run.stdout and b"Traceback" not in run.stderr
