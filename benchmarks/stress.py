"""500 submissions while a worker is killed every few seconds and the grader itself is killed once: python -m benchmarks.stress [N] [EVERY_S]

Tells how many results there are, whether any was written twice, and whether a result that was there was changed.
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
LOOK_S = 0.2


def main(n, every_s):
    with tempfile.TemporaryDirectory() as place:
        folder, out = honest(Path(place) / "submitted", n), Path(place) / "out"
        command = autograder("grade", folder, "--assignment", ASSIGNMENT, "--out", out, "--jobs", "2")
        begun = time.perf_counter()
        seen = Seen(out)
        grader = start(command)
        killed = kill_workers(grader, every_s, seen, until=lambda: len(results(out)) >= n // 2 or grader.poll() is not None)
        grader.kill()  # its workers notice, and end
        grader.wait()
        seen.look()
        when_killed = len(seen.files)
        grader = start(command)
        killed += kill_workers(grader, every_s, seen, until=lambda: grader.poll() is not None)
        seen.look()
        beside = [path for path in out.rglob("*") if path.is_file() and path not in seen.files]
    keep("stress", {
        "submissions": n,
        "a worker is killed every, s": every_s,
        "workers killed": killed,
        "results when the grader was killed": when_killed,
        "exit code of the second run": grader.returncode,
        "results": len(seen.files),
        "results that were written twice or changed": seen.changed,
        "files beside results": len(beside),
        "seconds": round(time.perf_counter() - begun, 1),
    })


class Seen:
    """The results so far: a file that is another one than before, by its inode, time or size, has been written again."""

    def __init__(self, out):
        self.out, self.files, self.changed = out, {}, 0

    def look(self):
        """Take note of what is there now."""
        for path in results(self.out):
            status = path.stat()
            now = status.st_ino, status.st_mtime_ns, status.st_size
            self.changed += self.files.setdefault(path, now) != now
            self.files[path] = now


def start(command):
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def results(out):
    return list(out.glob(f"*/{ASSIGNMENT}.json"))


def kill_workers(grader, every_s, seen, until):
    """Kill one of the grader's Dask workers every few seconds, and look at the results all the while. Returns how many."""
    killed, due = 0, time.monotonic() + every_s
    while not until():
        time.sleep(LOOK_S)
        seen.look()
        if time.monotonic() >= due:
            due += every_s
            killed += kill_one(grader)
    return killed


def kill_one(grader):
    """Kill one worker, if there is any now. Returns whether."""
    try:
        workers = [process for process in psutil.Process(grader.pid).children() if "spawn_main" in " ".join(process.cmdline())]
        os.kill(random.choice(workers).pid, signal.SIGKILL)
        return True
    except (IndexError, ProcessLookupError, psutil.Error):
        return False


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 500, float(sys.argv[2]) if len(sys.argv) > 2 else EVERY_S)
