"""Attacks by ending: exits, signals and handlers, at every stage."""

from tests.attacks.attack import Attack, each_call, notebook, right_and, wrong_and

ENDS = {
    "exit": "os._exit(0)",
    "sys-exit": "sys.exit(0)",
    "abort": "os.abort()",
    "segfault": "import ctypes; ctypes.string_at(0)",
    "kill-self": "os.kill(os.getpid(), 9)",
    "kill-all": "os.kill(-1, 9)",
    "kill-group": "os.killpg(0, 9); os.kill(0, 9)",
    "kill-parent": "os.kill(os.getppid(), 9); os.kill(1, 9)",
    "stop-group": "import signal; os.killpg(0, signal.SIGSTOP); os.kill(0, signal.SIGSTOP)",
    "stop-all": "import signal; os.kill(-1, signal.SIGSTOP); os.kill(0, signal.SIGTSTP)",
    "new-program": "os.execv('/bin/sleep', ['sleep', '60'])",
}
ATTACKS = [Attack("end", f"{name}-in-a-cell", f"a cell ends or stops what it can: {code}",
    wrong_and(f"import os, sys\n{code}")) for name, code in ENDS.items()]
ATTACKS += [Attack("end", f"{name}-in-a-call", f"a call ends or stops what it can: {code}", each_call(code)) for name, code in ENDS.items()]
ATTACKS += [
    Attack("end", "atexit", "a success is written down at exit",
           wrong_and("import atexit, os\natexit.register(lambda: (print('10/10'), os._exit(0)))")),
    Attack("end", "exits-between-the-parts", "every second cell ends the process",
           notebook(*["import os; os._exit(0)", "def softmax(x, axis=-1): return x"] * 6), 0.0, "x.ipynb"),
    Attack("end", "signals-ignored", "all signals are ignored, then nothing ends", each_call("""
import signal
for number in range(1, 65):
    try: signal.signal(number, signal.SIG_IGN)
    except (OSError, ValueError): pass
while True: pass""")),
    Attack("end", "interrupts-itself", "a storm of alarms in cells and calls", right_and("""
import signal
def storm(*args): raise KeyboardInterrupt
signal.signal(signal.SIGALRM, storm)
signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)
while True: pass"""), 10.0),
    Attack("end", "exit-while-importing", "a library ends the process when it is used",
           right_and("import sys\nsys.setprofile(lambda *args: __import__('os')._exit(0))"), 10.0),
    Attack("end", "death-signal-undone", "the signal at the parent's death is undone, the parent is left", each_call("""
import ctypes
ctypes.CDLL(None).prctl(1, 0, 0, 0, 0)
if os.fork() == 0:
    ctypes.CDLL(None).prctl(1, 0, 0, 0, 0)
    os.setsid()
    time.sleep(60)""")),
]
