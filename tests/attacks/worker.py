"""A process that grades one attack after the other, and looks at itself and its sandbox after each."""

import contextlib
import multiprocessing.util
import os
import tempfile
import time
from pathlib import Path

from autograder.assignment import load
from autograder.grade import Grader
from autograder.sandbox.limits import Limits
from autograder.sandbox.patience import clock
from tests.attacks.attack import RIGHT

LIMITS = Limits(total_s=8.0, load_s=3.0, cell_s=1.0, test_s=1.2, again_s=0.1, memory_bytes=2 << 30, total_memory_bytes=5 << 29)
_here = {}


def start():
    """Start this process's grader, and keep what anything prints."""
    printed = tempfile.TemporaryFile()
    for descriptor in (1, 2):
        os.dup2(printed.fileno(), descriptor)
    grader = Grader(load("single-head"), "a secret of the attacks' tests", limits=LIMITS)
    grader.__enter__()
    multiprocessing.util.Finalize(None, grader.__exit__, exitpriority=10)
    _here.update(grader=grader, printed=printed)


def grade(attack):
    """Grade the attack, then the right solution. Returns all that a test may want to know of it."""
    grader = _here["grader"]
    _here["printed"].truncate(0)
    forget_peak()
    before = resident("VmRSS")
    begun = clock()
    result = grader.grade("student", attack.data, attack.file, seed=1)
    took, grown = clock() - begun, resident("VmHWM") - before
    left = left_behind(grader.sandbox.process.pid) if grader.sandbox.process else []
    with patient(grader):
        right = grader.grade("right", RIGHT.encode(), "right.py")
    sandbox = grader.sandbox.process.pid
    return {"result": result, "right": right, "took_s": took, "grown_bytes": grown, "left": left,
            "printed": os.pread(_here["printed"].fileno(), 10_000, 0), "sandbox": (sandbox, started(sandbox))}


def started(pid):
    """When a process began, in the kernel's ticks; None where there is none. Its number alone may be another's later."""
    try:
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19])
    except OSError:
        return None


@contextlib.contextmanager
def patient(grader):
    """A grader that gives as much time as usual: whether an attack harms the next submission does not depend on how busy the machine is."""
    usual = Limits(memory_bytes=LIMITS.memory_bytes, total_memory_bytes=LIMITS.total_memory_bytes)
    grader.limits = grader.sandbox.limits = usual
    yield
    grader.limits = grader.sandbox.limits = LIMITS


def left_behind(sandbox, patience_s=10.0):
    """The command lines of processes in the sandbox besides bubblewrap's and the zygote, after some time to go."""
    until = time.monotonic() + patience_s
    while (extra := [pid for pid in descendants(sandbox) if len(descendants(pid)) == 0][1:]) and time.monotonic() < until:
        time.sleep(0.02)
    return [Path(f"/proc/{pid}/cmdline").read_bytes() if os.path.exists(f"/proc/{pid}/cmdline") else b"" for pid in extra]


def descendants(root):
    """The numbers of all processes that descend from a process."""
    parents = {}
    for entry in os.listdir("/proc"):
        try:
            parents[int(entry)] = int(Path(f"/proc/{entry}/stat").read_text().rpartition(")")[2].split()[1])
        except (ValueError, OSError):
            continue
    found = [root]
    for pid in found:
        found += [child for child, parent in parents.items() if parent == pid]
    return found[1:]


def resident(field):
    """This process's resident memory in bytes: VmRSS now, VmHWM at its peak."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(f"{field}:")) << 10


def forget_peak():
    """Begin a new measurement of the peak."""
    Path("/proc/self/clear_refs").write_text("5")
