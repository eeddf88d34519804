"""Attacks on the grader's patience."""

from tests.attacks.attack import Attack, each_call, notebook, right_and, wrong_and

ATTACKS = [
    Attack("time", "sleeps", "every call sleeps for a minute", each_call("time.sleep(60)")),
    Attack("time", "spins", "every call spins, and catches what would interrupt it",
           each_call("while True:\n    try:\n        while True: pass\n    except BaseException: pass")),
    Attack("time", "in-c", "every call hangs in C, where no signal of Python's is seen",
           each_call("import ctypes\nctypes.CDLL(None).usleep(10**9)\nx = 10 ** 10 ** 8")),
    Attack("time", "slow-regular-expression", "a pattern that takes for ever", each_call("import re\nre.match('(a+)+$', 'a' * 60 + 'b')")),
    Attack("time", "slow-cells", "every cell takes as long as it may",
           notebook(*["import time\nwhile True: time.sleep(1)"] * 10, "def softmax(x): return x"), 0.0, "x.ipynb"),
    Attack("time", "cells-not-to-be-interrupted", "a cell that no alarm interrupts",
           wrong_and("import signal\nsignal.signal(signal.SIGALRM, signal.SIG_IGN)\nwhile True: pass")),
    Attack("time", "just-in-time", "every call takes almost as long as it may", each_call("time.sleep(1.0)", "return np.zeros(3)")),
    Attack("time", "on-unpacking", "a result that is slow to pack",
           each_call("class Slow(tuple):\n    _fields = ()\n    def __len__(self):\n        time.sleep(60)", "return Slow()")),
    Attack("time", "stopped-clock", "the clocks of the process are replaced, and cells never end",
           right_and("import time, signal\nsignal.setitimer = lambda *args: None\ntime.monotonic = lambda: 0.0\nsignal.alarm(1)"), 10.0),
]
