"""500 submissions while a worker is killed every few seconds and the grader itself is killed once: python -m benchmarks.stress [N]

Prints how many results there are, whether any was written twice, and whether a result that was there was changed.
"""

import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import psutil

from autograder.assignment import ROOT
from benchmarks.common import ASSIGNMENT, autograder, honest, keep

EVERY_S = 8.0  # a worker needs some seconds to start


def main(n):
    with tempfile.TemporaryDirectory() as place:
        folder, out = honest(Path(place) / "submitted", n), Path(place) / "out"
        command = autograder("grade", folder, "--assignment", ASSIGNMENT, "--out", out, "--jobs", "2")
        begun = time.perf_counter()
        grader = start(command)
        killed = kill_workers(grader, until=lambda: len(results(out)) >= n // 2)
        grader.kill()  # its workers notice, and end
        grader.wait()
        before = {path: path.read_bytes() for path in results(out)}
        grader = start(command)
        killed += kill_workers(grader, until=lambda: grader.poll() is not None)
        after = {path: path.read_bytes() for path in results(out)}
        files = [path for path in out.rglob("*") if path.is_file()]
    keep("stress", {
        "submissions": n,
        "workers killed": killed,
        "grader killed": 1,
        "results when it was killed": len(before),
        "exit code of the second run": grader.returncode,
        "results": len(after),
        "files beside results": len(files) - len(after),
        "results of before that were changed": sum(after[path] != data for path, data in before.items()),
        "seconds": round(time.perf_counter() - begun, 1),
    })


def start(command):
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def results(out):
    return list(out.glob(f"*/{ASSIGNMENT}.json"))


def kill_workers(grader, until):
    """Kill one of the grader's Dask workers every few seconds. Returns how many."""
    killed = 0
    while not until():
        time.sleep(EVERY_S)
        workers = [process for process in psutil.Process(grader.pid).children() if "spawn_main" in " ".join(process.cmdline())] if grader.poll() is None else []
        if workers and not until():
            try:
                os.kill(random.choice(workers).pid, signal.SIGKILL)
                killed += 1
            except ProcessLookupError:
                pass
    return killed


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 500)
