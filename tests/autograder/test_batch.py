"""Many submissions: a run that was stopped goes on, a second run grades only what has changed, a killed worker costs nothing."""

import contextlib
import dataclasses
import hashlib
import json
import os
import signal
import subprocess
import sys
import threading
import time
import warnings
import weakref
from pathlib import Path

import psutil
import pytest

from autograder import batch, results
from autograder.submissions import MAX_BYTES, find

SETTINGS = batch.Settings("single-head", "a secret of the tests")

ENDLESS = """
while True:
    try:
        import time
        time.sleep(60)
    except BaseException:
        pass
"""


@pytest.fixture
def folder(tmp_path, single_head):
    """Eight submissions, right and wrong."""
    place = tmp_path / "in"
    place.mkdir()
    sources = [single_head.solution_source, *(variant.source for variant in list(single_head.wrong.values())[:3])]
    for i in range(8):
        (place / f"s{i}.py").write_text(f"# {i}\n" + sources[i % 4], encoding="utf-8")
    return place


def grade(folder, out, **keywords):
    """Grade a folder; returns {student: result}, and the students that were graded in this run."""
    graded = []
    done, missing = batch.grade_all(find([folder], "single-head"), SETTINGS, out, progress=lambda n, total, result: graded.append(result["student"]), **keywords)
    assert missing == {}
    return {result["student"]: result for result in done}, sorted(graded)


def test_a_second_run_grades_only_what_has_changed(needs_sandbox, folder, tmp_path):
    out = tmp_path / "out"
    first, graded = grade(folder, out)
    assert graded == sorted(first) and len(first) == 8
    second, graded = grade(folder, out)
    assert graded == [] and second == first
    (folder / "s3.py").write_text("1 / 0")
    (out / "s5" / "single-head.json").write_text('{"schema": 1, "half":')
    (out / "s6" / "single-head.json").write_text(json.dumps(first["s6"] | {"assignment_version": "old"}))
    third, graded = grade(folder, out)
    assert graded == ["s3", "s5", "s6"] and third["s3"]["score"] == 0 and third["s0"] == first["s0"]
    assert grade(folder, out, force=True)[1] == sorted(first)


def test_another_seed_or_language_is_graded_again(needs_sandbox, folder, tmp_path):
    task = next(batch.read_tasks(find([folder], "single-head")))
    with batch.make_grader(SETTINGS) as grader:
        results.write(tmp_path, batch.grade_task(grader, task, SETTINGS))
    assert batch.current_result(tmp_path, task, SETTINGS)
    assert batch.current_result(tmp_path, task, dataclasses.replace(SETTINGS, device="cuda"))  # it has nothing that waits for a GPU
    for changed in ({"seed": 1}, {"language": "ru"}):
        assert batch.current_result(tmp_path, task, batch.Settings(**(SETTINGS.__dict__ | changed))) is None


def test_a_killed_grader_goes_on_where_it_stopped(needs_sandbox, folder, tmp_path):
    out, last = tmp_path / "out", folder / "s7.py"
    source = last.read_text(encoding="utf-8")
    last.write_text(source + ENDLESS, encoding="utf-8")  # however late it is killed, that is before the end
    command = [sys.executable, "-m", "autograder", "grade", str(folder), "--assignment", "single-head", "--out", str(out)]
    process = subprocess.Popen(command, env=os.environ | {"AUTOGRADER_SECRET": SETTINGS.secret}, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
    for _ in range(3):
        process.stderr.readline()
    process.kill()
    process.wait()
    process.stderr.close()
    last.write_text(source, encoding="utf-8")
    before = {path: path.read_bytes() for path in out.glob("*/single-head.json")}
    assert 3 <= len(before) < 8
    after, graded = grade(folder, out)
    assert len(after) == 8 and len(graded) == 8 - len(before)
    assert all(path.read_bytes() == data for path, data in before.items())


def test_killed_workers_cost_nothing(needs_sandbox, folder, tmp_path):
    from dask.distributed import Client, LocalCluster

    def kill_workers(address, stop):
        with Client(address) as client:
            for _ in range(3):
                if stop.wait(2):
                    return
                for pid in list(client.run(os.getpid).values())[:1]:
                    os.kill(pid, signal.SIGKILL)

    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        stop = threading.Event()
        killer = threading.Thread(target=kill_workers, args=(cluster.scheduler_address, stop))
        killer.start()
        time.sleep(0.5)
        done, graded = grade(folder, tmp_path / "out", scheduler=cluster.scheduler_address)
        stop.set()
        killer.join()
    assert sorted(done) == graded == sorted(path.stem for path in folder.iterdir())
    assert done["s0"]["score"] == done["s4"]["score"] == 10.0


def test_what_listens_is_for_this_machine_alone():
    """Two runs side by side want no port of each other's, and nobody else on the network gets to see Dask's pages."""
    with contextlib.ExitStack() as stack, warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        clusters = [batch._local_cluster(1, stack) for _ in range(2)]
        ours = {process.pid for process in psutil.Process().children(recursive=True)} | {os.getpid()}
        listening = {each.laddr for each in psutil.net_connections("tcp") if each.pid in ours and each.status == psutil.CONN_LISTEN}
    assert len(clusters) == 2 and len(listening) >= 4 and {address.ip for address in listening} == {"127.0.0.1"}
    assert not [warning for warning in said if "Port" in str(warning.message)]


def test_workers_that_are_killed_while_they_start_cost_nothing(needs_sandbox, folder, tmp_path):
    """Dask itself gives up then: the first time the whole cluster, later the worker."""
    def kill_workers(stop):
        me = psutil.Process()
        others = {child.pid for child in me.children()}  # what other tests have left running is none of Dask's
        killed = set()
        begun.set()
        while len(killed) < 4 and not stop.wait(0.02):
            for child in me.children():
                with contextlib.suppress(psutil.Error):
                    if child.pid not in killed | others and "spawn_main" in " ".join(child.cmdline()):
                        child.kill()
                        killed.add(child.pid)

    begun, stop = threading.Event(), threading.Event()
    killer = threading.Thread(target=kill_workers, args=(stop,))
    killer.start()
    begun.wait()
    done, graded = grade(folder, tmp_path / "out", jobs=2)
    stop.set()
    killer.join()
    assert sorted(done) == graded == sorted(path.stem for path in folder.iterdir())


@pytest.mark.parametrize("keywords", [{}, {"jobs": 2}])
def test_who_has_nothing_to_grade_gets_a_note_and_stops_nobody(needs_sandbox, tmp_path, single_head, keywords):
    tree, out = tmp_path / "submitted", tmp_path / "out"
    for name, files in {"ann": ["single-head.py"], "bo": [], "cy": ["one.py", "two.py"], "di": ["single-head.py"]}.items():
        (tree / name / "single-head").mkdir(parents=True)
        for file in files:
            (tree / name / "single-head" / file).write_text(f"# {name}\n{single_head.solution_source}", encoding="utf-8")
    first, graded = grade(tree, out, **keywords)
    assert graded == ["ann", "bo", "cy", "di"] and [first[name]["score"] for name in graded] == [10.0, 0, 0, 10.0]
    assert "no notebook" in first["bo"]["note"] and "several" in first["cy"]["note"] and not first["ann"]["note"] and not first["di"]["note"]
    second, graded = grade(tree, out, **keywords)
    assert graded == ["bo", "cy"] and second.keys() == first.keys() and second["ann"] == first["ann"] and second["di"] == first["di"]


# files are read when their turn comes


def sha256(data):
    return hashlib.sha256(data).hexdigest()


def result_of(task, settings, tests=()):
    """A result without grading."""
    return {"schema": results.SCHEMA, "assignment": settings.assignment, "student": task.student, "submission_sha256": task.data and sha256(task.data),
            "score": 0.0, "max_score": 10.0, "note": task.note and task.note.say(), "tests": list(tests)}


def slowly_graded(task, settings):
    """In the place of batch.grade_on_worker."""
    time.sleep(0.05)
    return result_of(task, settings)


class NoGrader(contextlib.nullcontext):
    """In the place of a Grader: nothing is graded, and no GPU gets lost."""

    lost = None

    def __enter__(self):
        return self

    def fill_in(self, result, data, name):
        return result | {"tests": [test | {"status": "passed"} for test in result["tests"]]}


@pytest.fixture
def no_grading(monkeypatch):
    monkeypatch.setattr(batch, "make_grader", lambda settings: NoGrader())
    monkeypatch.setattr(batch, "grade_task", lambda grader, task, settings: result_of(task, settings))


def test_one_file_is_in_memory_at_a_time(no_grading, folder, tmp_path, monkeypatch):
    alive, most = weakref.WeakSet(), []

    class Watched(batch.Task):
        def __init__(self, *fields):
            super().__init__(*fields)
            alive.add(self)
            most.append(len(alive))

        __hash__ = object.__hash__

    monkeypatch.setattr(batch, "Task", Watched)
    for _ in range(2):
        assert len(grade(folder, tmp_path / "out")[0]) == 8
    assert len(most) >= 16 and max(most) <= 2  # the last one, while the next is read


def test_on_a_cluster_a_few_are_on_their_way(folder, tmp_path, monkeypatch):
    from dask.distributed import LocalCluster

    read, reads, done, most = Path.read_bytes, [], [], []

    def counted(path):
        if path.parent == folder:
            reads.append(path)
        return read(path)

    for i in range(8, 40):
        (folder / f"s{i}.py").write_text(f"# {i}", encoding="utf-8")
    monkeypatch.setattr(Path, "read_bytes", counted)
    monkeypatch.setattr(batch, "grade_on_worker", slowly_graded)
    with LocalCluster(n_workers=2, threads_per_worker=1, processes=False, dashboard_address=None) as cluster:
        graded, missing = batch.grade_all(find([folder], "single-head"), SETTINGS, tmp_path / "out", scheduler=cluster.scheduler_address, force=True,
                                          progress=lambda n, total, result: (done.append(n), most.append(len(reads) - len(done))))
    assert len(graded) == len(reads) == 40 and missing == {} and max(most) <= 6


def test_what_changes_or_goes_meanwhile_concerns_its_student_alone(no_grading, folder, tmp_path):
    def meddle(n, total, result):
        if n == 1:
            (folder / "s3.py").unlink()
            os.truncate(folder / "s4.py", MAX_BYTES + 1)
            (folder / "s5.py").unlink()
            (folder / "s5.py").symlink_to(folder / "s1.py")
            (folder / "s6.py").unlink()
            os.mkfifo(folder / "s6.py")
            (folder / "s7.py").write_text("# another\n", encoding="utf-8")

    done, missing = batch.grade_all(find([folder], "single-head"), SETTINGS, tmp_path / "out", progress=meddle)
    notes = {result["student"]: result["note"] for result in done}
    assert missing == {} and len(notes) == 8 and {name for name, note in notes.items() if note} == {"s3", "s4", "s5", "s6"}
    assert "cannot be read" in notes["s3"] and "64 MB" in notes["s4"] and "link" in notes["s5"] and "not a file" in notes["s6"]
    assert done[-1]["submission_sha256"] == sha256(b"# another\n")  # the result is of what was graded


def test_a_gpu_fills_in_no_tests_of_another_file(no_grading, folder, tmp_path, monkeypatch):
    def meddle(n, total, result):
        if result["student"] == "s7" and result["tests"][0]["status"] == "deferred":  # all are graded, none is filled in
            (folder / "s2.py").write_text("# another\n", encoding="utf-8")
            (folder / "s3.py").unlink()

    waiting = {"id": "x", "status": "deferred"}
    monkeypatch.setattr(batch, "grade_task", lambda grader, task, settings: result_of(task, settings, [waiting]))
    settings = dataclasses.replace(SETTINGS, device="cuda")
    done, missing = batch.grade_all(find([folder], "single-head"), settings, tmp_path / "out", progress=meddle)
    assert set(missing) == {"s2", "s3"} and "another" in missing["s2"] and "cannot be read" in missing["s3"]
    assert {result["student"] for result in done if result["tests"][0]["status"] == "passed"} == {f"s{i}" for i in (0, 1, 4, 5, 6, 7)}
