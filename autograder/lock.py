"""A lock file: one process at a time."""

import contextlib
import fcntl


@contextlib.contextmanager
def held(path, waits):
    """Hold the lock of a file. Where another process holds it, `waits()` is called once, and then it is waited for. The lock ends with the process
    that holds it, whatever ends that."""
    with path.open("a") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            waits()
            fcntl.flock(file, fcntl.LOCK_EX)
        yield
