"""What a submission costs beyond the bare computation, which is the same tests on the same functions in one process: python -m benchmarks.overhead [N]

Each submission is graded twice in turn, in the sandbox and bare, so that both meet the same machine. Bare are executing the cells and
calling the tests' functions, with the reference and the judge; not pytest, not processes, not the messages between them.
"""

import statistics
import subprocess
import sys
import time

from autograder.assignment import load
from autograder.grade import Grader
from autograder.hidden.backends import LocalBackend
from autograder.hidden.host import HiddenTests, seed_of
from autograder.hidden.student import Student
from autograder.notebook import read
from autograder.sandbox.sandbox import SubmissionProcess, TestProcess
from benchmarks.common import ASSIGNMENT, keep
from tests.sample_class.make import notebook_of
from tests.sample_class.students import Student as Person

SECRET = "a secret of the benchmarks"
FORKS = """
import gc, os, time
import numpy
gc.freeze()
for _ in range(200):
    begun = time.perf_counter()
    if (process := os.fork()) == 0:
        os._exit(0)
    os.waitpid(process, 0)
    print(time.perf_counter() - begun)
"""


def main(n):
    data = notebook_of(Person("student", "en", 0.0, work="reference"))
    clock = Clock()
    with Grader(load(ASSIGNMENT), SECRET) as grader:
        for _ in range(3):
            grader.grade("student", data, "student.ipynb")
        bare, ours, parts = [], [], []
        for seed in range(n):
            bare.append(seconds(lambda: run_bare(grader.hidden, data, seed)))
            with clock:
                ours.append(seconds(lambda: grader.grade("student", data, "student.ipynb", seed)))
            parts.append(clock.parts)
    empty = [float(line) for line in subprocess.run([sys.executable, "-c", FORKS], capture_output=True, text=True, check=True).stdout.split()]
    keep("overhead", {
        "submissions": n,
        "tests of a submission": len(grader.hidden.tests),
        "ours, ms": spread(ours),
        "bare, ms": spread(bare),
        "overhead, ms": spread([a - b for a, b in zip(ours, bare)]),
        "of ours: loading the notebook, ms": spread([one["load"] for one in parts]),
        "of ours: waiting for the first answer of each test, ms": spread([one["first"] for one in parts]),
        "of ours: waiting for its other answers, ms": spread([one["ask"] for one in parts]),
        "answers of a submission": parts[0]["answers"],
        "a process forked from Python with NumPy that does nothing, ms": spread(empty),
    })


def run_bare(hidden: HiddenTests, data, seed):
    """Execute the notebook's cells and run all tests on what they define, in this process: the course's own work alone."""
    names = {"__name__": "bare"}
    for cell in read(data, "student.ipynb").cells:
        try:
            exec(compile(cell, "cell", "exec"), names)
        except ImportError:
            pass  # the `course` package, which a student has and the grader does not need
        except NameError:
            pass  # its check()
    for test in hidden.tests:
        error = hidden.run(test, Student(LocalBackend(names, "numpy")), seed_of(SECRET, seed, test)).error
        if error is not None:
            raise error


class Clock:
    """Sums up the time in which the grader waits for the sandbox, by what it waits for."""

    def __enter__(self):
        self.parts = {"load": 0.0, "first": 0.0, "ask": 0.0, "answers": 0}
        self.kept = SubmissionProcess.load, TestProcess.ask
        load, ask = self.kept

        def timed_load(process, *args, **keywords):
            begun = time.perf_counter()
            try:
                return load(process, *args, **keywords)
            finally:
                self.parts["load"] += time.perf_counter() - begun

        def timed_ask(process, *args):
            begun = time.perf_counter()
            try:
                return ask(process, *args)
            finally:
                self.parts["ask" if hasattr(process, "asked") else "first"] += time.perf_counter() - begun
                self.parts["answers"] += 1
                process.asked = True

        SubmissionProcess.load, TestProcess.ask = timed_load, timed_ask
        return self

    def __exit__(self, *exception):
        SubmissionProcess.load, TestProcess.ask = self.kept


def seconds(function):
    begun = time.perf_counter()
    function()
    return time.perf_counter() - begun


def spread(values):
    """The least, the median and the largest of some seconds, in milliseconds."""
    return {"min": round(1e3 * min(values), 1), "median": round(1e3 * statistics.median(values), 1), "max": round(1e3 * max(values), 1)}


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 40)
