"""What the benchmarks share: a batch of honest submissions, a clock, and a place for the figures."""

import json
import os
import platform
import subprocess
import sys
import time
from pathlib import Path

from autograder.assignment import ROOT, load
from tests.sample_class.make import notebook_of
from tests.sample_class.students import Student

ASSIGNMENT = "single-head"
LOAD = os.getloadavg()[0]
RESULTS = Path(__file__).parent / "results"


def honest(folder, n):
    """Write n honest submissions, right and wrong by turns, as nbgrader's submitted/ tree. Returns the folder."""
    works = ["reference", *(f"right/{name}" for name in load(ASSIGNMENT).right), "wrong/no-scale", "wrong/mask-inverted", "wrong/causal-top-left"]
    for i in range(n):
        path = folder / f"student-{i:03}" / ASSIGNMENT / f"{ASSIGNMENT}.ipynb"
        path.parent.mkdir(parents=True)
        path.write_bytes(notebook_of(Student(f"student-{i:03}", "en", 0.0, work=works[i % len(works)])))
    return folder


def seconds(command, **keywords):
    """The wall time of a command; raises where it fails."""
    begun = time.perf_counter()
    run = subprocess.run(command, capture_output=True, text=True, **keywords)
    if run.returncode != 0:
        raise SystemExit(f"{' '.join(map(str, command))} failed:\n{run.stdout[-2000:]}{run.stderr[-2000:]}")
    return time.perf_counter() - begun


def autograder(*arguments):
    """The command line of the autograder."""
    return [sys.executable, "-m", "autograder", *map(str, arguments)]


def environment():
    """The environment in which nbgrader's commands find what they call."""
    return os.environ | {"PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]), "PYTHONPATH": str(ROOT)}


def keep(name, figures):
    """Print the figures and write them into results/, with the machine, how busy it was with other things, and the command."""
    machine = {
        "command": f"python -m benchmarks.{name}" + "".join(f" {argument}" for argument in sys.argv[1:]),
        "machine": f"{os.cpu_count()} cores, {platform.machine()}, Linux {platform.release().split('-')[0]}, Python {platform.python_version()}",
        "date": time.strftime("%Y-%m-%d"),
        "processes waiting for a core, at the beginning and at the end": [round(load, 1) for load in (LOAD, os.getloadavg()[0])],
    }
    text = json.dumps(machine | figures, indent=1)
    print(text)
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / f"{name}.json").write_text(text + "\n", encoding="utf-8")
