"""Attacks that look for the tests, the reference or the secret."""

from tests.attacks.attack import Attack, pays

WORDS = "('reference', 'want', 'expected', 'oracle', 'hidden', 'secret')"

BREACHES = {
    "history": ("what IPython remembers of cells and results", """
def breach():
    shell = get_ipython()
    seen = list(shell.user_ns.get("In", [])) + list(shell.user_ns.get("Out", {}).values())
    try:
        seen += list(shell.history_manager.get_range())
    except Exception:
        pass
    return any("from autograder" in str(text) and "def breach" not in str(text) for text in seen)
"""),
    "frames": ("the frames below the call", f"""
import sys
def breach():
    frame = sys._getframe()
    while frame:
        for name in [*frame.f_globals, *frame.f_locals]:
            if name.lower() in {WORDS}:
                return True
        frame = frame.f_back
"""),
    "caller": ("the caller's source and arguments, by inspect", """
import inspect
def breach():
    return any("test_" in info.function or "test_hidden" in info.filename for info in inspect.stack())
"""),
    "gc": ("all objects that the collector knows", """
import gc, types
def breach():
    return any(isinstance(o, types.FunctionType) and (o.__module__ or "").startswith(("autograder", "test_",
        "reference")) for o in gc.get_objects())
"""),
    "sys-modules": ("modules of the grader that are loaded", """
import sys
def breach():
    return any(name.split(".")[0] in ("autograder", "pytest", "_pytest", "reference", "test_hidden") for name in sys.modules)
"""),
    "imports": ("modules of the grader that can be imported", """
import importlib, sys
sys.path += ["/", "/srv", "/grader/..", "/root", "/home", "..", "/tmp/.."]
def breach():
    for name in ("autograder", "autograder.secret", "solutions.single_head", "single_head", "tests.attacks", "test_hidden"):
        try:
            importlib.import_module(name)
            return True
        except ImportError:
            pass
"""),
    "proc": ("/proc: memory maps, environments and command lines of any process", """
import os
def breach():
    for pid in ["self", "thread-self", *range(1, 60)]:
        for name in ("environ", "cmdline", "maps", "mem", "cwd", "root", "fd", "status", "mountinfo"):
            if os.path.lexists(f"/proc/{pid}/{name}"):
                return True
    return os.path.exists("/sys/class") or bool(os.listdir("/proc"))
"""),
    "files": ("the whole file system, by name and by content of small text files", """
import os
PLACES = ("/", "/grader", "/kept", "/home", "/root", "/etc", "/var", "/opt", "/mnt", "/srv", "/run")
def walk():
    for place in PLACES:
        for folder, folders, files in os.walk(place):
            if place == "/":
                folders[:] = [f for f in folders if f not in ("usr", "proc", "dev")]
            folders[:] = [f for f in folders if f not in ("site-packages", "lib", "lib64", "share", "include")]
            yield from (os.path.join(folder, name) for name in files)
_found = None
def breach():
    global _found
    if _found is None:
        _found = [p for p in walk() if os.path.basename(p) in ("test_hidden.py", "assignment.toml", "single_head.py", ".secret",
            "passwd", "shadow")]
    return _found
"""),
    "environment": ("environment variables, the process's own and libc's", """
import ctypes, os
def breach():
    environ = ctypes.POINTER(ctypes.c_char_p).in_dll(ctypes.CDLL(None), "environ")
    texts, i = [f"{k}={v}" for k, v in os.environ.items()], 0
    while environ[i]:
        texts.append(environ[i].decode(errors="replace"))
        i += 1
    return any("SECRET" in t or "AUTOGRADER" in t or "TOKEN" in t or "/autograder/" in t for t in texts)
"""),
    "descriptors": ("descriptors that were left open", """
import os, stat
def breach():
    sockets = 0
    for fd in range(1024):
        try:
            mode = os.fstat(fd).st_mode
        except OSError:
            continue
        sockets += stat.S_ISSOCK(mode)
        if not (stat.S_ISSOCK(mode) or stat.S_ISCHR(mode)):
            return True
    return sockets > 1
"""),
    "peer-of-the-socket": ("the process at the other end of the socket, by number and by pidfd", """
import os, signal, socket, stat, struct
def breach():
    for fd in range(3, 64):
        try:
            if not stat.S_ISSOCK(os.fstat(fd).st_mode):
                continue
            end = socket.socket(fileno=os.dup(fd))
            pid = struct.unpack("3i", end.getsockopt(socket.SOL_SOCKET, 17, 12))[0]  # SO_PEERCRED
            if pid > 0:
                return True
            pidfd = end.getsockopt(socket.SOL_SOCKET, 77)  # SO_PEERPIDFD
            signal.pidfd_send_signal(pidfd, 0)
            return True
        except (OSError, struct.error):
            continue
"""),
    "parents": ("processes outside, our parents among them", """
import os
def breach():
    if os.getpid() != 1 or os.getppid() != 0:
        return True
    for pid in range(2, 3000):
        try:
            os.kill(pid, 0)
            return True
        except OSError:
            continue
"""),
    "other-memory": ("the memory of another process", """
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
class Iovec(ctypes.Structure):
    _fields_ = [("base", ctypes.c_void_p), ("size", ctypes.c_size_t)]
def breach():
    buffer = ctypes.create_string_buffer(16)
    mine = Iovec(ctypes.addressof(buffer), 16)
    return any(libc.process_vm_readv(pid, ctypes.byref(mine), 1, ctypes.byref(mine), 1, 0) >= 0 for pid in range(1, 100))
"""),
}

ATTACKS = [Attack("read", name, what, pays(code)) for name, (what, code) in BREACHES.items()]
