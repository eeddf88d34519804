"""Where tests of a GPU run: a sandbox that shows it, with a process for each test, and a look at the device before the next one."""

import contextlib
import time

from autograder.gpu.device import GpuLost, find
from autograder.gpu.meter import Meter, settled
from autograder.hidden.gpu import LIBRARY, GpuBackend
from autograder.sandbox.sandbox import Sandbox, SandboxFailed

RECOVER_S = 30.0  # a driver that resets a card takes seconds
SLACK_BYTES = 64 << 20


class Station:
    """Holds the sandbox with the GPU. Use as a context manager; entering it raises NoGpu or SandboxFailed, with the reason, where no GPU works."""

    def __init__(self, assignment, kind, limits, gpu=None):
        self.gpu = gpu or find()
        self.arrays, self.kind, self.limits = assignment.arrays, kind, limits
        compiled = assignment.framework == "triton" and not self.gpu.fake
        self.sandbox = Sandbox("triton-compiled" if compiled else assignment.framework, kind, limits, self.gpu)
        self.own = None  # a second one, where the grader's own code is timed

    def __enter__(self):
        self.sandbox.start()
        self.base = self.gpu.used_bytes()
        return self

    def __exit__(self, *exception):
        self.sandbox.stop()
        if self.own:
            self.own.stop()

    def make_ready(self, doubtful=False):
        """Before a test: wait until the memory of the one before is free. Raises GpuLost where the device does not answer any more.

        doubtful: the test before has ended badly, and the device is tried out.
        """
        until = time.monotonic() + RECOVER_S
        while True:
            try:
                if not settled(self.gpu, self.base, SLACK_BYTES):
                    self.base = self.gpu.used_bytes()  # somebody else is using it, too
                if doubtful:
                    self._try_out()
                return
            except GpuLost:
                if time.monotonic() > until:
                    raise
                time.sleep(1.0)

    def _try_out(self):
        try:
            if self.sandbox.process is None or self.sandbox.process.poll() is not None:
                self.sandbox.stop()
                self.sandbox.start()  # which tries it out
            else:
                self.sandbox.try_out()
        except SandboxFailed as error:
            raise GpuLost(f"the GPU {self.gpu.name} does not work any more: {error}") from None

    def meter(self):
        """A Meter for one test: over the ceiling, all that runs in the sandbox is killed."""
        return Meter(self.gpu, self.gpu.ceiling(self.limits.gpu_share), self.sandbox.kill)

    @contextlib.contextmanager
    def backend(self, process, meter, deadline):
        """A GpuBackend for the test of a submission's process."""
        with process.only_test(self.sandbox.for_child(), deadline) as test_process:
            yield GpuBackend(test_process, self.arrays, self.gpu.for_child(1)["name"], meter, lambda: self.library(deadline))

    @contextlib.contextmanager
    def library(self, deadline):
        """A GpuBackend for PyTorch's own attention, in a process of the grader's, made as those of students are."""
        if self.own is None:
            before = self.gpu.used_bytes()
            self.own = Sandbox("torch", self.kind, self.limits, self.gpu)
            self.own.start()
            self.base += max(0, self.gpu.used_bytes() - before)
        with self.own.submission() as process:
            process.load([LIBRARY], deadline=deadline)
            with process.only_test(self.own.for_child(), deadline) as test_process:
                yield GpuBackend(test_process, "torch", self.gpu.for_child(1)["name"], None)
