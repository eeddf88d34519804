"""Attacks with memory, inside and outside NumPy, and outside every address space."""

from tests.attacks.attack import Attack, each_call, pays, wrong_and

PARTS = {
    "bytes": "x = bytearray(8 << 30)",
    "numpy": "x = np.ones(1 << 31)",
    "numpy-lazily": "x = np.zeros(1 << 33); x[::512] = 1",
    "many-small": "x = []\nwhile True: x.append(bytearray(1 << 20))",
    "mmap": "import mmap\nx = mmap.mmap(-1, 8 << 30); x[:] = bytes(8 << 30)",
    "mmap-in-pieces": "import mmap\nx = []\nwhile True:\n    x.append(mmap.mmap(-1, 1 << 26)); x[-1].write(bytes(1 << 26))",
    "text": "x = 'x' * 10**11",
    "power": "x = 10 ** (10 ** 9)",
    "recursion": "import sys\nsys.setrecursionlimit(10**9)\nf = lambda: f()\nf()",
    "stack": "import threading\nthreading.stack_size(1 << 30)\n[threading.Thread(target=time.sleep, args=(60,)).start() for _ in range(50)]",
    "by-ctypes": "import ctypes\nlibc = ctypes.CDLL(None)\nlibc.malloc.restype = ctypes.c_void_p\nwhile libc.malloc(ctypes.c_size_t(1 << 28)): pass\nraise MemoryError",
}
# memory that RLIMIT_AS does not see; each of these must be refused or bounded
UNSEEN = {
    "memfd": ("files in memory that lie in no folder", """
import os
kept = []
def breach():
    for _ in range(40):
        fd = os.memfd_create("x")
        for _ in range(60):
            os.write(fd, bytes(1 << 20))
        kept.append(fd)
    return True
"""),
    "system-v": ("System V shared memory, filled and let go", """
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
libc.shmat.restype = ctypes.c_void_p
def breach():
    return any(libc.shmget(0, ctypes.c_size_t(1 << 28), 0o1600) >= 0 for _ in range(3)) or libc.msgget(0, 0o1600) >= 0
"""),
    "own-tmpfs": ("a file system in memory, mounted in a user namespace of one's own", """
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
def breach():
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        libc.unshare(0x10000000 | 0x00020000)
        os.makedirs("/tmp/big", exist_ok=True)
        os.write(write, b"y" if libc.mount(b"tmpfs", b"/tmp/big", b"tmpfs", 0, b"size=64g") == 0 else b"n")
        os._exit(0)
    os.waitpid(pid, 0)
    return os.read(read, 1) == b"y"
"""),
    "shared-folders": ("/dev/shm and /tmp take more than they should", """
import os
def breach():
    written = 0
    for folder in ("/dev/shm", "/tmp"):
        for number in range(50):
            try:
                with open(f"{folder}/{number}", "wb") as file:
                    for _ in range(16):
                        written += file.write(bytes(1 << 20))
            except OSError:
                break
    return written > 130 << 20
"""),
    "multiprocessing": ("shared memory by Python's own module", """
from multiprocessing import shared_memory
def breach():
    kept = []
    for _ in range(10):
        kept.append(shared_memory.SharedMemory(create=True, size=63 << 20))
        kept[-1].buf[:] = bytes(63 << 20)
    return True
"""),
}
TOGETHER = """
import mmap, os, time
for _ in range(40):
    try:
        if os.fork() == 0:
            {take}
            time.sleep(60)
    except OSError: break
time.sleep(60)
"""

ATTACKS = [Attack("memory", name, f"each call takes what it can: {code.splitlines()[-1]}", each_call(code)) for name, code in PARTS.items()]
ATTACKS += [Attack("memory", name, what, pays(code)) for name, (what, code) in UNSEEN.items()]
ATTACKS += [
    Attack("memory", "many-processes", "forty processes take a gigabyte each", wrong_and(TOGETHER.format(take="kept = b'x' * (1 << 30)"))),
    Attack("memory", "many-processes-sharing", "forty processes fill a gigabyte of shared memory each",
           wrong_and(TOGETHER.format(take="kept = mmap.mmap(-1, 1 << 30); [kept.write(b'x' * (1 << 20)) for _ in range(1 << 10)]"))),
    Attack("memory", "socket-buffers", "buffers of sockets and pipes are filled", each_call("""
import socket
kept = []
try:
    while True:
        a, b = socket.socketpair()
        a.setblocking(False)
        kept.append((a, b))
        try:
            while a.send(bytes(1 << 16)): pass
        except BlockingIOError: pass
except OSError: pass""")),
]
