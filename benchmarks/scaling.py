"""Time against the number of submissions and of jobs, and a batch in which one in ten hangs: python -m benchmarks.scaling"""

import tempfile
from pathlib import Path

from autograder.assignment import ROOT, load
from autograder.hidden.host import HiddenTests
from autograder.sandbox.limits import Limits
from benchmarks.common import ASSIGNMENT, autograder, honest, keep, seconds

NUMBERS = (25, 50, 100, 200)
HANGING = 4  # of 40
PART = "padding_mask"  # the part that does not end


def main():
    with tempfile.TemporaryDirectory() as place:
        place = Path(place)
        batches = {n: honest(place / f"n{n}", n) for n in NUMBERS}
        by_number = {n: grade(folder, place / f"out-n{n}", jobs=1) for n, folder in batches.items()}
        by_jobs = {jobs: grade(batches[100], place / f"out-j{jobs}", jobs=jobs) for jobs in (1, 2)}
        hangs = grade(with_hangs(place / "hangs"), place / "out-hangs", jobs=2)
    each = [(by_number[b] - by_number[a]) / (b - a) for a, b in zip(NUMBERS, NUMBERS[1:])]
    bound = HANGING * timeouts() / 2
    keep("scaling", {
        "seconds by number of submissions, 1 job": by_number,
        "seconds for each more, between these numbers": [round(one, 3) for one in each],
        "seconds by jobs, 100 submissions": by_jobs,
        "times faster with 2 jobs": round(by_jobs[1] / by_jobs[2], 2),
        f"{10 * HANGING} submissions of which {HANGING} hang, 2 jobs, s": hangs,
        "their timeouts divided by the jobs, s": bound,
        "ratio": round(hangs / bound, 2),
    })


def grade(folder, out, jobs):
    """The seconds that a batch takes."""
    return round(seconds(autograder("grade", folder, "--assignment", ASSIGNMENT, "--out", out, "--jobs", jobs), cwd=ROOT), 1)


def with_hangs(folder):
    """A batch in which one in ten hangs in every test of a part, spread over the batch. Returns the folder."""
    honest(folder, 9 * HANGING)
    hanging = load(ASSIGNMENT).solution_source + f"\n\n\ndef {PART}(*args):\n    while True:\n        pass\n"
    for i in range(HANGING):
        path = folder / f"student-{9 * i:03}-hangs" / ASSIGNMENT / f"{ASSIGNMENT}.py"
        path.parent.mkdir(parents=True)
        path.write_text(hanging, encoding="utf-8")
    return folder


def timeouts():
    """The seconds that one of them hangs: the first test of the part, and the others, which get less."""
    limits = Limits()
    with HiddenTests(load(ASSIGNMENT)) as hidden:
        n = sum(test.part == PART for test in hidden.tests)
    return limits.test_s + (n - 1) * limits.again_s


if __name__ == "__main__":
    main()
