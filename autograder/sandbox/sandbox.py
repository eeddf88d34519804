"""The grader's side of the sandbox: start the zygote, run one submission at a time in it, call functions in a test's process."""

import contextlib
import os
import subprocess
import tempfile
import time

from autograder.sandbox import bubblewrap
from autograder.sandbox.child_modules import wire
from autograder.sandbox.limits import Limits

START_S = 120.0  # importing torch on a slow disk
ANSWER_S = 5.0  # what trusted code in the sandbox may take


class SandboxFailed(RuntimeError):
    """The sandbox itself did not start, or broke."""


class Sandbox:
    """One zygote with a framework's libraries loaded. `kind`: bubblewrap or none. Use as a context manager."""

    def __init__(self, framework, kind="bubblewrap", limits=Limits()):
        if kind == "bubblewrap":
            bubblewrap.require()
        self.framework, self.kind, self.limits = framework, kind, limits
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
            arguments = [str(theirs.fileno()), "isolated" if isolated else "open", self.framework]
            command = bubblewrap.command(arguments) if isolated else bubblewrap.plain_command(arguments)
            environment = os.environ if isolated else bubblewrap.environment() | self.own_folders()
            self.process = subprocess.Popen(
                command, pass_fds=[theirs.fileno()], env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
            )
        try:
            ready, _ = wire.receive(self.control, deadline=time.monotonic() + START_S)
        except wire.WireError as error:
            self.process.kill()
            printed = self.process.stderr.read().decode(errors="replace").strip()
            raise SandboxFailed(f"the sandbox did not start: {printed[-1000:] or error}") from None
        self.base_address_space = ready["address_space"]

    def own_folders(self):
        """Where a zygote without a sandbox keeps its files: a folder that goes when it ends."""
        self.home = tempfile.TemporaryDirectory(prefix="autograder-")
        return {"PATH": os.environ.get("PATH", ""), "HOME": self.home.name, "MPLCONFIGDIR": self.home.name, "IPYTHONDIR": self.home.name}

    def stop(self):
        """End the zygote, and with it everything in the sandbox."""
        if self.process is not None:
            self.control.close()
            try:
                self.process.wait(ANSWER_S)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
            self.process.stderr.close()
            self.process = None

    @contextlib.contextmanager
    def submission(self):
        """A process for one submission; ends with the block. Restarts a zygote that has been lost."""
        if self.process is None or self.process.poll() is not None:
            self.stop()
            self.start()
        ours, theirs = wire.pair()
        with ours:
            with theirs:
                order = {"order": "begin", "framework": self.framework, "limits": self.limits.for_child(self.base_address_space)}
                wire.send_with_socket(self.control, order, theirs, self._soon())
            begun, _ = wire.receive(self.control, deadline=self._soon())
            if "begun" not in begun:
                raise SandboxFailed(f"the sandbox refused a submission: {begun}")
            process = SubmissionProcess(ours, self.framework, self.limits)
            try:
                yield process
            finally:
                ours.close()
                wire.send(self.control, {"order": "end"}, deadline=self._soon())
                ended, _ = wire.receive(self.control, deadline=self._soon())
                process.peak_memory_bytes = ended["peak_memory_bytes"]

    def _soon(self):
        return time.monotonic() + ANSWER_S


class SubmissionProcess:
    """One student's process, as the grader sees it. Nothing that comes from it is trusted."""

    def __init__(self, connection, framework, limits):
        self.connection, self.framework, self.limits = connection, framework, limits
        self.peak_memory_bytes = 0
        self.current_cell = None

    def load(self, cells, skip=(), deadline=None):
        """Run the cells. Returns the errors, [{"cell", "type", "message", "line"}]; raises TimedOut or Closed, with current_cell set."""
        order = {"order": "load", "cells": list(cells), "skip": list(skip), "cell_timeout_s": self.limits.cell_s}
        wire.send_with_socket(self.connection, order, deadline=deadline)
        while True:
            answer, _ = wire.receive(self.connection, deadline=deadline)
            if type(answer.get("cell")) is int:
                self.current_cell = answer["cell"]
            elif answer.get("loaded") is True:
                return checked_errors(answer.get("errors"))
            else:
                raise wire.WireError(f"the submission's process failed: {str(answer.get('failed', 'no reason given'))[:200]}")

    @contextlib.contextmanager
    def test(self, deadline):
        """A process for one test, forked from the loaded submission; killed at the end of the block."""
        ours, theirs = wire.pair()
        with ours:
            with theirs:
                wire.send_with_socket(self.connection, {"order": "test"}, theirs, deadline)
            answer, _ = wire.receive(self.connection, deadline=deadline)
            pid = answer.get("pid")
            try:
                yield TestProcess(ours, self.framework, deadline)
            finally:
                if type(pid) is int:
                    soon = time.monotonic() + ANSWER_S
                    wire.send_with_socket(self.connection, {"order": "kill", "pid": pid}, deadline=soon)
                    wire.receive(self.connection, deadline=soon)


class TestProcess:
    """A test's process: orders go in, answers come back."""

    __test__ = False  # no test class, whatever its name looks like to pytest

    def __init__(self, connection, framework, deadline):
        self.connection, self.framework, self.deadline = connection, framework, deadline

    def ask(self, order, arrays):
        """Send an order and return (answer, arrays)."""
        wire.send(self.connection, order, arrays, self.framework, self.deadline)
        return wire.receive(self.connection, self.framework, self.deadline)


def checked_errors(errors):
    """The list of the cells' errors in its expected form, whatever came; texts are cut."""
    if not isinstance(errors, list):
        return []
    fields = {"type": str, "message": str, "line": str}
    kept = [error for error in errors[:100] if isinstance(error, dict) and type(error.get("cell")) is int]
    return [{"cell": error["cell"], **{name: str(error.get(name, ""))[:500] for name in fields}} for error in kept]
