"""Hostile submissions, graded one after the other by graders that have to survive them all.

For each: no point beyond what it honestly earns, a right solution graded next loses none, the grader neither hangs nor grows nor prints,
nothing is left behind, and the result keeps to the published form.
"""

import concurrent.futures
import json
import math
import multiprocessing
import os
import socket
import sys
import tempfile
import time
import unicodedata
from pathlib import Path

import numpy
import pytest

from autograder import results
from autograder.assignment import ROOT
from autograder.sandbox.bubblewrap import CHILD
from tests.attacks import sockets, worker
from tests.attacks.catalogue import ATTACKS
from tests.attacks.files import MARK

GRADERS = 3  # and one for attacks with memory, that two never fill the machine's together
SLACK_S = 20.0  # beyond the limit of a submission: processes to be cleared away, other work on the machine
MOST_GROWTH = 1600 << 20  # what comes in, twice, and what is made of it; a file of 32 MB of JSON takes half of this
STATUSES = {"passed", "failed", "error", "timeout"}
FIELDS = {"schema", "assignment", "student", "submission_sha256", "language", "device", "seed", "score", "max_score", "duration_s",
    "peak_memory_bytes", "note", "flags", "tests"}
WATCHED = (CHILD, ROOT / "autograder" / "assignments" / "single-head", ROOT / "solutions", Path(numpy.__file__).parent)
PLACES = {"/", "/tmp", "/dev/shm", "/var/tmp", "/usr", "/usr/bin", sys.prefix, tempfile.gettempdir(), str(CHILD), str(ROOT), os.getcwd(),
    os.path.dirname(numpy.__file__)}  # where an attack might write, or mount something


@pytest.fixture(scope="module")
def outside():
    """What an attack could reach if it got out: listeners on this machine."""
    with socket.socket(socket.AF_UNIX) as abstract, socket.socket(socket.AF_INET) as inet:
        for listener, address in ((abstract, sockets.ABSTRACT), (inet, ("127.0.0.1", sockets.PORT))):
            listen(listener, address)
        yield


def listen(listener, address):
    """Listen at an address. Where it is taken, by another run of these tests, somebody must listen there: else an attack would prove nothing."""
    try:
        listener.bind(address)
        listener.listen()
    except OSError:
        with socket.socket(listener.family) as end:
            end.connect(address)


@pytest.fixture(scope="module")
def graded(request, needs_sandbox, outside):
    """graded(attack) waits for the record of an attack; all that are selected are graded by some graders side by side."""
    before = fingerprint()
    selected = [item.callspec.params["attack"] for item in request.session.items if "attack" in getattr(getattr(item, "callspec", None),
        "params", {})]
    with graders(GRADERS) as most, graders(1) as memory:
        pools = {"memory": memory}
        futures = {f"{attack.kind}: {attack.name}": pools.get(attack.kind, most).submit(worker.grade, attack) for attack in selected}
        yield lambda attack: futures[f"{attack.kind}: {attack.name}"].result()
        sandboxes = {future.result()["sandbox"] for future in futures.values() if not future.exception()}
    until = time.monotonic() + 10
    while left(sandboxes) and time.monotonic() < until:
        time.sleep(0.1)
    assert left(sandboxes) == []
    assert marks() == []
    assert fingerprint() == before


def graders(n):
    """n processes with a grader each."""
    return concurrent.futures.ProcessPoolExecutor(n, multiprocessing.get_context("spawn"), worker.start)


def left(sandboxes):
    """Those of the sandboxes, (number, beginning), that are still there."""
    return [pid for pid, began in sandboxes if worker.started(pid) == began]


def fingerprint():
    """What must not change on this machine: our files by name, size and time, and what is mounted in our places.

    Compiled files are left out, which other tests may write of what they import, and what else the machine mounts meanwhile.
    """
    found = [path for folder in WATCHED for path in folder.rglob("*.[pt]*") if "__pycache__" not in path.parts]
    files = {str(path): (path.stat().st_size, path.stat().st_mtime_ns, path.stat().st_mode) for path in found}
    mounts = Path("/proc/self/mounts").read_text().splitlines()
    return files, [mount for mount in mounts if is_ours(Path(mount.split()[1].replace("\\040", " ")))]


def is_ours(place):
    """Whether a place is one of the PLACES, or in this repository or its environment."""
    return str(place) in PLACES or ROOT in place.parents or Path(sys.prefix) in place.parents


def marks():
    """The marks that attacks try to leave, wherever they have arrived."""
    return [folder for folder in PLACES if os.path.lexists(os.path.join(folder, MARK))]


def test_there_are_enough_attacks_and_each_is_itself():
    names = [(attack.kind, attack.name) for attack in ATTACKS]
    assert len(names) >= 40 and len(set(names)) == len(names)
    assert len({attack.data for attack in ATTACKS}) == len(ATTACKS)


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: f"{attack.kind}-{attack.name}".replace(" ", "-"))
def test_attack(attack, graded, tmp_path):
    record = graded(attack)
    assert record["result"]["score"] <= attack.most, [test["id"] for test in record["result"]["tests"] if test["status"] == "passed"]
    assert record["right"]["score"] == 10.0, [test for test in record["right"]["tests"] if test["status"] != "passed"]
    assert record["took_s"] < worker.LIMITS.total_s + SLACK_S
    assert record["grown_bytes"] < MOST_GROWTH
    assert record["left"] == []
    assert record["printed"] == b""
    check_form(record["result"])
    path = results.write(tmp_path, record["result"])
    assert json.loads(path.read_text(encoding="utf-8")) == record["result"]


def check_form(result):
    """Assert that a result has the published form, all of it, and holds no text that could do anything."""
    assert set(result) >= FIELDS and result["schema"] == 1 and result["max_score"] == 10.0
    assert json.loads(json.dumps(result, allow_nan=False)) == result
    assert math.isclose(result["score"], sum(test["points"] for test in result["tests"]))
    assert len({test["id"] for test in result["tests"]}) == len(result["tests"]) > 0
    for test in result["tests"]:
        assert test["status"] in STATUSES and test["points"] in (0.0,
            test["max_points"]) and (test["status"] == "passed") == (test["points"] > 0)
        assert len(test["message"]) <= 2000
    texts = [result["note"] or "", *(test["message"] for test in result["tests"]), *(flag["evidence"] for flag in result["flags"])]
    assert not {c for text in texts for c in text if c != "\n" and unicodedata.category(c) in ("Cc", "Cf", "Cs", "Co", "Zl", "Zp")}
    assert isinstance(result["peak_memory_bytes"], int) and result["duration_s"] >= 0
