"""The grader's side of the sandbox: start the zygote, run one submission at a time in it, call functions in a test's process."""

import contextlib
import os
import subprocess
import tempfile
import time

from autograder.sandbox import bubblewrap
from autograder.sandbox.child_modules import wire
from autograder.sandbox.limits import Limits
from autograder.sandbox.patience import clock

START_S = 120.0  # importing torch on a slow disk
ANSWER_S = 5.0  # what trusted code in the sandbox may take
GPU_ANSWER_S = 60.0  # with a GPU: the first process makes a context, which takes seconds


class SandboxFailed(RuntimeError):
    """The sandbox itself did not start, or broke."""


class Sandbox:
    """One zygote with a framework's libraries loaded: numpy, torch, triton (its interpreter) or triton-compiled (its compiler). `kind`: bubblewrap or none. Use as a context manager."""

    def __init__(self, framework, kind="bubblewrap", limits=Limits(), gpu=None):
        if kind == "bubblewrap":
            bubblewrap.require()
        self.gpu = gpu  # a gpu.device.Gpu that is shown to the processes in it; each submission then serves one test
        self.libraries, self.framework, self.kind, self.limits = framework, wire.arrays_of(framework), kind, limits
        self.process = None

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *exception):
        self.stop()

    def start(self):
        """Start the zygote and wait until it is ready; raises SandboxFailed with what it printed."""
        self.control, theirs = wire.pair()
        with theirs:
            isolated = self.kind == "bubblewrap"
            arguments = [str(theirs.fileno()), "isolated" if isolated else "open", self.libraries]
            command = bubblewrap.command(arguments, self.gpu) if isolated else bubblewrap.plain_command(arguments)
            environment = os.environ if isolated else bubblewrap.environment(self.gpu) | self.own_folders()
            self.process = subprocess.Popen(
                command, pass_fds=[theirs.fileno()], env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
            )
        try:
            ready, _ = wire.receive(self.control, deadline=clock() + START_S)
        except wire.WireError as error:
            self.process.kill()
            printed = self.process.stderr.read().decode(errors="replace").strip()
            raise SandboxFailed(f"the sandbox did not start: {printed[-1000:] or error}") from None
        self.base_address_space = ready["address_space"]
        self.try_out()

    def try_out(self):
        """Go once through what every submission goes through; raises SandboxFailed with the reason where this machine does not let it."""
        try:
            with self.submission() as process:
                process.load([], deadline=self._soon())
                with process.test(self._soon()) if self.gpu is None else process.only_test(self.for_child(), self._soon()) as test:
                    answer, _ = test.ask({"order": "call", "target": {"name": "nothing"}, "args": [], "kwargs": {}}, [])
                if "missing" not in answer:  # which is the right answer
                    raise wire.WireError(wire.text(answer.get("error", {}).get("message"), 500) or "it answers nonsense")
        except wire.WireError as error:
            self.stop()
            raise SandboxFailed(f"a process for a submission or a test cannot be made: {error}") from None

    def own_folders(self):
        """Where a zygote without a sandbox keeps its files: a folder that goes when it ends."""
        self.home = tempfile.TemporaryDirectory(prefix="autograder-")
        return {"PATH": os.environ.get("PATH", ""), "HOME": self.home.name, "MPLCONFIGDIR": self.home.name, "IPYTHONDIR": self.home.name}

    def stop(self, kill=False):
        """End the zygote, and with it everything in the sandbox. kill: do not wait until it does so itself."""
        if self.process is not None:
            self.control.close()
            if kill:
                self.process.kill()
            try:
                self.process.wait(ANSWER_S)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
            self.process.stderr.close()
            self.process = None

    @contextlib.contextmanager
    def submission(self, memory_bytes=None, plots=False):
        """A process for one submission; ends with the block. A zygote that has been lost, or does not answer, is replaced.

        memory_bytes: what it may take when it has been loaded, on top of what it has then, where that is less than the limits say. plots:
        have the plotting library loaded. It can be imported without, too, which takes longer.
        """
        watched = memory_bytes is not None
        process = self._begin(plots, watched) or self._begin(plots, watched, last=True)
        if watched:
            process.when_loaded = lambda: self._hold(memory_bytes)
        try:
            yield process
        finally:
            process.close()
            process.peak_memory_bytes = self._end()

    def _hold(self, memory_bytes):
        """Have the submission take no more than so many bytes from now on. Raises a WireError where the zygote does not answer."""
        wire.send(self.control, {"order": "hold", "memory_bytes": memory_bytes}, deadline=self._soon())
        if wire.receive(self.control, deadline=self._soon())[0].get("held") is not True:
            raise SandboxFailed("the sandbox cannot lower the limit on a submission's memory")

    def _begin(self, plots, watched, last=False):
        """A new SubmissionProcess; None, or where it is the last try SandboxFailed, when the zygote does not give one."""
        if self.process is None or self.process.poll() is not None:
            self.stop()
            self.start()
        ours, theirs = wire.pair()
        try:
            with theirs:
                of_child = self.limits.for_child(self.base_address_space, self.gpu is not None) | {"watched": watched}
                order = {"order": "begin", "framework": self.framework, "limits": of_child, "plots": plots}
                wire.send_with_socket(self.control, order, theirs, self._soon())
            begun, _ = wire.receive(self.control, deadline=clock() + START_S if plots else self._soon())
            if "begun" not in begun:
                raise wire.WireError(str(begun))
        except wire.WireError as error:
            ours.close()
            self.stop(kill=True)  # an answer that comes too late would be taken for that to the next question
            if last:
                raise SandboxFailed(f"the sandbox takes no submission: {error}") from None
            return None
        return SubmissionProcess(ours, self.framework, self.limits)

    def _end(self):
        """End what the zygote has begun, and return the bytes of memory that it has taken; 0 where the zygote has been lost."""
        try:
            wire.send(self.control, {"order": "end"}, deadline=self._soon())
            return wire.receive(self.control, deadline=self._soon())[0]["peak_memory_bytes"]
        except wire.WireError:
            self.stop(kill=True)
            return 0

    def for_child(self):
        """What the process of a test on a GPU has to know of it."""
        return self.gpu.for_child(self.limits.gpu_share)

    def kill(self):
        """Kill all that runs in the sandbox, from another thread. Who asks it for something next has it started anew."""
        if self.process is not None:
            self.process.kill()

    def _soon(self):
        return clock() + (ANSWER_S if self.gpu is None else GPU_ANSWER_S)


class SubmissionProcess:
    """One student's process, as the grader sees it. Nothing that comes from it is trusted."""

    def __init__(self, connection, framework, limits):
        self.connection, self.framework, self.limits = connection, framework, limits
        self.peak_memory_bytes = 0
        self.current_cell, self.cell_began = None, 0.0  # by the wall's clock, as cells are interrupted by it
        self.slower = 1.0  # how many of its seconds count as one, as busy as the machine was when the cells began
        self.slow = set()  # cells that have taken so long that they were interrupted, as their process says
        self.when_loaded = lambda: None
        self.named = []  # where the source names a library's attention, where that is asked for: [{"cell", "line", "name"}]
        self.upcoming = None  # of a test's process that has been ordered already: our end of the connection, the order's number
        self.ordered, self.pids = 0, []  # how many orders went out; the numbers of processes that have come for them, in the same order

    def close(self):
        """Close all connections."""
        self.connection.close()
        if self.upcoming is not None:
            self.upcoming[0].close()

    def load(self, cells, skip=(), deadline=None, own_work=False, slow=()):
        """Run the cells, without those to skip, and the slow ones for a moment only.

        Returns the errors, [{"cell", "type", "message", "line"}]; raises TimedOut or Closed, with current_cell set.
        """
        self.slower = clock.factor()
        order = {"order": "load", "cells": list(cells), "skip": list(skip), "slow": list(slow), "cell_timeout_s": self.limits.cell_s,
            "slower": self.slower, "own_work": own_work}
        wire.send_with_socket(self.connection, order, deadline=deadline)
        while True:
            answer, _ = wire.receive(self.connection, deadline=deadline)
            if is_index(answer.get("cell"), len(cells)):
                self._note_slow(answer)
                self.current_cell, self.cell_began = answer["cell"], time.monotonic()
            elif own_work and self.current_cell is None and "named" in answer:  # before student code can say anything
                self.named = checked_places(answer["named"], len(cells))
            elif answer.get("loaded") is True:
                self._note_slow(answer)
                self.when_loaded()
                return checked_errors(answer.get("errors"), len(cells))
            else:
                raise wire.WireError(f"the submission's process failed: {wire.text(answer.get('failed'), 200)}")

    def cell_took_s(self):
        """For how long the current cell has run, in the seconds of its limit."""
        return (time.monotonic() - self.cell_began) / self.slower

    def _note_slow(self, answer):
        """Keep a cell that was interrupted, as its process says: measured from here the same time comes out a little shorter or longer."""
        if self.current_cell is not None and answer.get("interrupted") is True:
            self.slow.add(self.current_cell)

    @contextlib.contextmanager
    def test(self, deadline, last=True):
        """A process for one test, forked from the loaded submission; killed at the end of the block.

        last: it is the last one. If not, the next one is forked while this one works. Raises a WireError before the block begins where
        the submission's process has gone or does not answer.
        """
        ours, pid = self._next(deadline)
        with ours:
            if not last:
                self.upcoming = self._order_test(deadline)
            try:
                yield TestProcess(ours, self.framework, deadline)
            finally:
                self._kill(pid)

    @contextlib.contextmanager
    def only_test(self, device, deadline):
        """This process itself, serving its only test on a GPU; it ends with the submission. device: what gpu.device.Gpu.for_child says."""
        ours, theirs = wire.pair()
        with ours:
            with theirs:
                number = self._order({"order": "only test", "device": device}, deadline, theirs)
            if self._answer(number, deadline) is None:
                raise wire.WireError("the submission's process serves no test")
            yield TestProcess(ours, self.framework, deadline)

    def _next(self, deadline):
        """The connection to the next test's process, and its number."""
        for _ in range(2):  # one that was ordered early may have found no room beside the one before it
            (ours, number), self.upcoming = self.upcoming or self._order_test(deadline), None
            try:
                pid = self._answer(number, deadline)
            except wire.WireError:
                ours.close()
                raise
            if pid is not None:
                return ours, pid
            ours.close()
        raise wire.WireError("no process for a test can be made")

    def _order_test(self, deadline):
        """Order a test's process; returns our end of the connection to it, and the order's number."""
        ours, theirs = wire.pair()
        try:
            with theirs:
                return ours, self._order({"order": "test"}, deadline, theirs)
        except wire.WireError:
            ours.close()
            raise

    def _kill(self, pid):
        """Have a test's process killed, with all that it has started, and wait until they are gone: a fork bomb would take the next test's processes."""
        soon = clock() + ANSWER_S
        try:
            self._answer(self._order({"order": "kill", "pid": pid}, soon), soon)
        except wire.WireError:
            pass  # the submission's process has gone, and they with it; who asks for the next test will see

    def _order(self, order, deadline, passed=None):
        """Send an order; returns its number."""
        wire.send_with_socket(self.connection, order, passed, deadline)
        self.ordered += 1
        return self.ordered - 1

    def _answer(self, number, deadline):
        """The number of a process that answers an order; None where there is none in the answer."""
        while len(self.pids) <= number:
            pid = wire.receive(self.connection, deadline=deadline, most=wire.SMALL)[0].get("pid")
            self.pids.append(pid if type(pid) is int else None)
        return self.pids[number]


class TestProcess:
    """A test's process: orders go in, answers come back."""

    __test__ = False  # no test class, whatever its name looks like to pytest

    def __init__(self, connection, framework, deadline):
        self.connection, self.framework, self.deadline = connection, framework, deadline
        self.text_bytes = 0  # of JSON, in all answers

    def ask(self, order, arrays):
        """Send an order and return (answer, arrays)."""
        wire.send(self.connection, order, arrays, self.framework, self.deadline)
        answer, arrays, text_bytes = wire.receive_measured(self.connection, self.framework, self.deadline)
        self.text_bytes += text_bytes
        return answer, arrays


def checked_errors(errors, n_cells):
    """The list of the cells' errors in its expected form, whatever came; texts are cut."""
    if not isinstance(errors, list):
        return []
    kept = [error for error in errors[:100] if isinstance(error, dict) and is_index(error.get("cell"), n_cells)]
    return [{"cell": error["cell"], **{name: wire.text(error.get(name), 500) for name in ("type", "message", "line")}} for error in kept]


def checked_places(places, n_cells):
    """The list of the places in which the source names something, in its expected form."""
    if not isinstance(places, list):
        return []
    kept = [place for place in places[:100] if isinstance(place, dict) and is_index(place.get("cell"), n_cells) and type(place.get("line")) is int]
    return [{"cell": place["cell"], "line": place["line"], "name": wire.text(place.get("name"), 100)} for place in kept]


def is_index(value, n):
    """Whether a value is a number from 0 to n − 1: an int and no bool."""
    return type(value) is int and 0 <= value < n
