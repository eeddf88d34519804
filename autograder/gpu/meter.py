"""Watching the memory of a GPU from outside while a test runs: the peak, and a ceiling that ends the test."""

import threading
import time

from autograder.gpu.device import GpuLost

EVERY_S = 0.001


class Meter:
    """A thread that looks at a device's memory, again and again, until the block ends. `kill()` is called once where it exceeds the ceiling."""

    def __init__(self, gpu, ceiling_bytes, kill=lambda: None):
        self.gpu, self.ceiling, self.kill = gpu, ceiling_bytes, kill
        self.first = self.peak = self.exceeded = self.lost = None
        self.lock = threading.Lock()  # or the thread could write back the peak of a measurement that is over
        self.stopped, self.thread = threading.Event(), threading.Thread(target=self._watch, daemon=True)

    def __enter__(self):
        self.first = self.begin()
        self.thread.start()
        return self

    def __exit__(self, *exception):
        self.stopped.set()
        self.thread.join()

    def begin(self):
        """Begin a measurement: what is in use now is what `taken` counts from. Returns it."""
        with self.lock:
            self.base = self.peak = self.gpu.used_bytes()
        return self.base

    def taken(self):
        """The most bytes that were in use since `begin`, beyond what was then."""
        return max(self.peak, self.gpu.used_bytes()) - self.base

    def _watch(self):
        while not self.stopped.wait(EVERY_S):
            try:
                with self.lock:
                    used = self.gpu.used_bytes()
                    self.peak = max(self.peak, used)
            except GpuLost as error:
                self.lost = error
                return
            if used > self.ceiling and not self.exceeded:
                self.exceeded = used
                self.kill()


def settled(gpu, base_bytes, slack_bytes, patience_s=15.0):
    """Wait until a device has no more in use than it had before, and a little; whether that came in time. Raises GpuLost."""
    until = time.monotonic() + patience_s
    while gpu.used_bytes() > base_bytes + slack_bytes:
        if time.monotonic() > until:
            return False
        time.sleep(0.05)
    return True
