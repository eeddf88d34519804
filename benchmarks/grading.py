"""The same honest submissions through stock `nbgrader autograde` and through this autograder: python -m benchmarks.grading [N]"""

import sys
import tempfile
from pathlib import Path

from autograder.assignment import ROOT
from autograder.exercise.nbgrader_course import SOURCE
from autograder.release import release
from benchmarks.common import ASSIGNMENT, autograder, environment, honest, keep, seconds

STOCK = f"""
c = get_config()
c.CourseDirectory.source_directory = {str(SOURCE / "en")!r}
c.ExecutePreprocessor.timeout = 120
"""


def main(n):
    if not (SOURCE / "en" / ASSIGNMENT).exists():
        release([ASSIGNMENT], ["en"])
    with tempfile.TemporaryDirectory() as place:
        stock, ours = (course(Path(place) / name, text) for name, text in (("stock", STOCK), ("ours", our_config())))
        for folder in (stock, ours):
            honest(folder / "submitted", n)
        of_stock = nbgrader(stock, "autograde", ASSIGNMENT)
        one, two = (to_results(ours / "submitted", ours / out, jobs) for out, jobs in (("grades", 1), ("grades-of-two", 2)))
        to_gradebook = nbgrader(ours, "autograde", ASSIGNMENT)
    keep("grading", {
        "submissions": n,
        "stock nbgrader autograde, s": round(of_stock, 1),
        "ours to results, 1 job, s": round(one, 1),
        "ours to results, 2 jobs, s": round(two, 1),
        "ours to results with 1 job and on into the gradebook, s": round(one + to_gradebook, 1),
        "times faster to results, 1 job": round(of_stock / one, 1),
        "times faster to results, 2 jobs": round(of_stock / two, 1),
        "times faster including the gradebook": round(of_stock / (one + to_gradebook), 1),
    })


def to_results(submissions, out, jobs):
    """The seconds that our grader takes. One job keeps two cores busy already: the grader's and the sandbox's processes take turns."""
    return seconds(autograder("grade", submissions, "--assignment", ASSIGNMENT, "--out", out, "--jobs", jobs), cwd=ROOT)


def our_config():
    return f"load_subconfig('nbgrader_config.py', path={str(ROOT / 'autograder')!r})\n"


def course(folder, config):
    """A course folder with its assignment generated."""
    folder.mkdir()
    (folder / "nbgrader_config.py").write_text(config)
    nbgrader(folder, "generate_assignment", ASSIGNMENT)
    return folder


def nbgrader(folder, *arguments):
    return seconds([sys.executable, "-m", "nbgrader", *arguments], cwd=folder, env=environment())


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100)
