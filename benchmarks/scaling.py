"""Time against the number of submissions and of jobs, the overhead of a submission, and a batch with hangs: python -m benchmarks.scaling"""

import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from autograder.assignment import ROOT, load
from autograder.sandbox.limits import Limits
from benchmarks.common import ASSIGNMENT, autograder, honest, keep, seconds

BARE = """
import sys, time
sys.path.insert(0, sys.argv[1])
from autograder.assignment import load
from autograder.hidden.backends import LocalBackend
from autograder.hidden.diagnose import namespace_of
from autograder.hidden.host import HiddenTests
from autograder.hidden.student import Student
loaded = load("single-head")
with HiddenTests(loaded) as hidden:
    times = []
    for i in range(20):
        begun = time.perf_counter()
        for test in hidden.tests:
            hidden.run(test, Student(LocalBackend(namespace_of(loaded, None), loaded.framework)), i)
        times.append(time.perf_counter() - begun)
print(sorted(times)[10])
"""


def main():
    with tempfile.TemporaryDirectory() as place:
        place = Path(place)
        batches = {n: honest(place / f"n{n}", n) for n in (25, 50, 100)}
        by_number = {n: grade(folder, place / f"out-n{n}", jobs=1) for n, folder in batches.items()}
        by_jobs = {jobs: grade(batches[100], place / f"out-j{jobs}", jobs=jobs) for jobs in (1, 2)}
        each = durations(place / "out-n100")
        hangs, bound = with_hangs(place)
    bare = float(subprocess.run([sys.executable, "-c", BARE, str(ROOT)], capture_output=True, text=True, check=True).stdout)
    keep("scaling", {
        "seconds by number of submissions, 1 job": by_number,
        "seconds by jobs, 100 submissions": by_jobs,
        "a submission, median, s": round(each, 3),
        "the same tests in one process without a sandbox, s": round(bare, 3),
        "overhead of a submission, s": round(each - bare, 3),
        "20 submissions of which 2 hang, 2 jobs, s": round(hangs, 1),
        "their timeouts divided by the jobs, s": round(bound, 1),
    })


def grade(folder, out, jobs):
    """The seconds that a batch takes."""
    return round(seconds(autograder("grade", folder, "--assignment", ASSIGNMENT, "--out", out, "--jobs", jobs), cwd=ROOT), 1)


def durations(out):
    """The median of the durations that the results tell, of submissions with full points."""
    results = [json.loads(path.read_text()) for path in out.glob("*/*.json")]
    return statistics.median(result["duration_s"] for result in results if result["score"] == result["max_score"])


def with_hangs(place):
    """The seconds of a batch in which one in ten hangs in every test of a part, and the least that the timeouts allow."""
    folder = honest(place / "hangs", 18)
    hanging = load(ASSIGNMENT).solution_source + "\n\n\ndef padding_mask(lengths, n_keys):\n    while True:\n        pass\n"
    for name in ("hangs-a", "hangs-b"):
        path = folder / name / ASSIGNMENT / f"{ASSIGNMENT}.py"
        path.parent.mkdir(parents=True)
        path.write_text(hanging)
    limits = Limits()
    begun = time.perf_counter()
    grade(folder, place / "out-hangs", jobs=2)
    return time.perf_counter() - begun, 2 * (limits.test_s + limits.again_s) / 2


if __name__ == "__main__":
    main()
