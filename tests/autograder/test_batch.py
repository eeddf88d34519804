"""Many submissions: a run that was stopped goes on, a second run grades only what has changed, a killed worker costs nothing."""

import contextlib
import dataclasses
import json
import os
import signal
import subprocess
import sys
import threading
import time
import warnings

import psutil
import pytest

from autograder import batch, results
from autograder.submissions import find

SETTINGS = batch.Settings("single-head", "a secret of the tests")


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
    out = tmp_path / "out"
    command = [sys.executable, "-m", "autograder", "grade", str(folder), "--assignment", "single-head", "--out", str(out)]
    process = subprocess.Popen(command, env=os.environ | {"AUTOGRADER_SECRET": SETTINGS.secret}, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
    for _ in range(3):
        process.stderr.readline()
    process.kill()
    process.wait()
    process.stderr.close()
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
        killed, me = set(), psutil.Process()
        while len(killed) < 4 and not stop.wait(0.02):
            for child in me.children():
                with contextlib.suppress(psutil.Error):
                    if child.pid not in killed and "spawn_main" in " ".join(child.cmdline()):
                        child.kill()
                        killed.add(child.pid)

    stop = threading.Event()
    killer = threading.Thread(target=kill_workers, args=(stop,))
    killer.start()
    done, graded = grade(folder, tmp_path / "out", jobs=2)
    stop.set()
    killer.join()
    assert sorted(done) == graded == sorted(path.stem for path in folder.iterdir())
