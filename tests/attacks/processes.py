"""Attacks with processes and threads."""

from tests.attacks.attack import Attack, each_call, right_and, wrong_and

FORK_BOMB = """
import os
while True:
    try:
        if os.fork() == 0:
            while True:
                try: os.fork()
                except OSError: pass
    except OSError: pass
"""
THREADS = """
import threading, time
for _ in range(5000):
    try: threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
    except RuntimeError: break
"""
DAEMON = """
import os, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.setsid()
        for fd in range(3): os.close(fd)
        while True:
            for folder in ("/tmp", "/dev/shm", "/var/tmp", "/", "/usr"):
                try: open(folder + "/attack-was-here", "a").write("x")
                except OSError: pass
            time.sleep(0.01)
    os._exit(0)
"""

ATTACKS = [
    Attack("processes", "fork-bomb-in-a-cell", "a cell forks without end", wrong_and(FORK_BOMB)),
    Attack("processes", "fork-bomb-in-a-call", "each call forks without end", each_call(FORK_BOMB)),
    Attack("processes", "shell-fork-bomb", "a shell forks without end, in the background",
           wrong_and("get_ipython().system(':(){ :|:& };: &')")),
    Attack("processes", "thread-bomb-in-a-cell", "a cell starts thousands of threads", right_and(THREADS), 10.0),
    Attack("processes", "thread-bomb-in-a-call", "each call starts thousands of threads", each_call(THREADS)),
    Attack("processes", "daemon-in-a-cell", "a process is to outlive the cell, and writes everywhere", right_and(DAEMON), 10.0),
    Attack("processes", "daemon-in-a-call", "a process is to outlive the test, and writes everywhere", each_call(DAEMON)),
    Attack("processes", "subprocesses", "programs are started in sessions of their own", each_call("""
import subprocess
for _ in range(10):
    subprocess.Popen(["/bin/sh", "-c", "trap '' HUP TERM INT; sleep 600"], start_new_session=True)""")),
    Attack("processes", "zombies", "children that nobody waits for", each_call("""
for _ in range(200):
    try:
        if os.fork() == 0: os._exit(0)
    except OSError: break""")),
    Attack("processes", "stops-its-siblings", "a process left by a cell stops and kills whatever it can see, over and over", wrong_and("""
import os, signal
if os.fork() == 0:
    while True:
        for pid in range(2, 400):
            for number in (signal.SIGSTOP, signal.SIGKILL):
                try:
                    if pid != os.getpid(): os.kill(pid, number)
                except OSError: pass""")),
    Attack("processes", "terminals", "as many terminals as there are", each_call("""
import pty
kept = []
try:
    for _ in range(5000): kept.append(pty.openpty())
except OSError: pass""")),
    Attack("processes", "spinning", "every process that may be spins in the background", right_and("""
import os
for _ in range(60):
    try:
        if os.fork() == 0:
            while True: pass
    except OSError: break"""), 10.0),
]
