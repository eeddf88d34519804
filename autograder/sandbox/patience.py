"""The clock that limits are measured by: it goes slower than the wall's while more processes want to run than the machine has cores.

By the wall alone a busy machine would look like code that does not end. Where the system does not tell how many want to run, it is the wall's.
"""

import os
import threading
import time
from pathlib import Path

import psutil

CORES = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
AMPLE = 1.5  # processes a core: a grader and its sandbox take turns, and nobody waits for long
SLOWEST = 4.0  # however busy the machine: a limit of 8 s is over after 32 s
LOOK_S = 0.05


def running():
    """How many processes of the machine want to run now, beside this one and, where they are many, its own; 0 where the system does not tell."""
    try:
        text = Path("/proc/stat").read_text(encoding="ascii")
        found = int(text.partition("procs_running ")[2].split()[0]) - 1
    except (OSError, ValueError, IndexError):
        return 0
    return found if found <= CORES * AMPLE else found - own()


def own():
    """How many of them this process has started: student code that starts many gains no time by it."""
    found = 0
    for process in psutil.Process().children(recursive=True):
        try:
            found += process.num_threads() if process.status() == psutil.STATUS_RUNNING else 0
        except psutil.Error:
            pass  # it has ended
    return found


class Clock:
    """Seconds, as time.monotonic() counts them, less those that a busy machine takes."""

    def __init__(self, wall=time.monotonic, running=running, cores=CORES):
        self.wall, self.running, self.cores = wall, running, cores
        self.lock = threading.Lock()
        self.seconds = self.looked = wall()
        self.slower = self._slower()

    def __call__(self):
        with self.lock:
            now = self.wall()
            passed = now - self.looked
            self.seconds, self.looked = self.seconds + passed / self.slower, now
            if passed >= LOOK_S:
                self.slower = self._slower()
            return self.seconds

    def factor(self):
        """How many of the wall's seconds count as one now."""
        self()
        return self.slower

    def _slower(self):
        """By what factor the clock goes slower now."""
        return min(max(self.running() / (self.cores * AMPLE), 1.0), SLOWEST)


clock = Clock()
