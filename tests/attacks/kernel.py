"""Attacks by system calls: on namespaces, on other processes, on parts of the kernel that no exercise needs."""

from tests.attacks.attack import Attack, pays

CALLS = """
import ctypes, errno, os
libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long
X86 = os.uname().machine == "x86_64"
def call(x86, arm, *args):
    "A system call by its number on x86_64 and on aarch64; whether it did anything."
    number = x86 if X86 else arm
    return number is not None and libc.syscall(ctypes.c_long(number), *[ctypes.c_long(a) if isinstance(a, int) else a for a in args]) != -1
"""
BREACHES = {
    "mounts": ("file systems are mounted, moved, and taken away", """
def breach():
    return any([call(165, 40, b"none", b"/tmp", b"tmpfs", 0, None), call(165, 40, b"proc", b"/proc", b"proc", 0, None), call(166, 39,
        b"/proc", 0), call(166, 39, b"/tmp", 2),
                call(165, 40, None, b"/usr", None, 32 | 4096, None), call(165, 40, b"/", b"/tmp", None, 8192, None), call(430, 430,
                    b"tmpfs", 0), call(428, 428, -100, b"/", 1)])
"""),
    "mounts-in-own-namespace": ("the same, in a user namespace of one's own", """
def breach():
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            libc.unshare(0x10000000 | 0x00020000)
            done = [call(166, 39, place, 2) for place in (b"/proc", b"/tmp", b"/dev/shm", b"/grader", b"/dev/pts")]
            done += [call(165, 40, b"none", b"/tmp", b"tmpfs", 0, None), call(165, 40, b"proc", b"/proc", b"proc", 0, None), call(165,
                40, b"sysfs", b"/tmp", b"sysfs", 0, None),
                     call(165, 40, None, b"/usr", None, 32 | 4096, None), call(165, 40, b"/", b"/tmp", None, 4096, None), call(165, 40,
                         b"overlay", b"/tmp", b"overlay", 0, b"lowerdir=/,upperdir=/tmp")]
            os.write(write, b"y" if any(done) else b"n")
        finally:
            os._exit(0)
    os.waitpid(pid, 0)
    return os.read(read, 1) == b"y"
"""),
    "cover-lifted": ("a bind of the root shows what lies under the covers", """
def breach():
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            libc.unshare(0x10000000 | 0x00020000)
            os.makedirs("/tmp/root", exist_ok=True)
            for flags in (4096, 4096 | 16384):
                call(165, 40, b"/", b"/tmp/root", None, flags, None)
            os.write(write, b"y" if os.path.exists("/tmp/root/proc/1") or os.path.exists("/tmp/root/proc/self") else b"n")
        finally:
            os._exit(0)
    os.waitpid(pid, 0)
    return os.read(read, 1) == b"y"
"""),
    "namespaces": ("new network, time and control-group namespaces, and those of others", """
def breach():
    done = [libc.unshare(flag) == 0 for flag in (0x40000000, 0x04000000, 0x02000000, 0x00000080)]
    pidfd = libc.syscall(ctypes.c_long(434), ctypes.c_long(os.getpid()), ctypes.c_long(0))
    return any(done) or libc.setns(pidfd, 0x20000000) == 0 or libc.setns(pidfd, 0x00020000) == 0
"""),
    "clone-with-namespaces": ("clone and clone3 with flags for new namespaces", """
def breach():
    for flag in (0x10000000, 0x40000000, 0x00020000):
        number = 56 if X86 else 220
        pid = libc.syscall(ctypes.c_long(number), ctypes.c_long(flag | 17), None, None, None, None)
        if pid == 0: os._exit(0)
        if pid > 0: return True
    return call(435, 435, ctypes.create_string_buffer(88), 88)
"""),
    "chroot": ("another root folder, and a way out of it", """
def breach():
    os.makedirs("/tmp/jail", exist_ok=True)
    return call(161, 51, b"/tmp/jail") or call(155, 41, b"/tmp/jail", b"/tmp/jail") or call(161, 51, b"/proc/1/root")
"""),
    "become-root": ("user and group numbers, capabilities", """
def breach():
    data = (ctypes.c_uint32 * 6)(*[0xFFFFFFFF] * 6)
    done = [libc.setuid(0) == 0, libc.setgid(0) == 0, libc.setgroups(0, None) == 0, libc.setresuid(0, 0, 0) == 0,
        libc.capset((ctypes.c_uint32 * 2)(0x20080522, 0), data) == 0]
    return any(done) or libc.prctl(47, 2, 21, 0, 0) == 0 or os.getuid() == 0
"""),
    "setuid-programs": ("programs with the set-user-id bit", """
import subprocess
_tried = []
def breach():
    if _tried: return False
    _tried.append(1)
    out = b""
    for command in (["su", "-c", "id"], ["sudo", "-n", "id"], ["mount"], ["newgrp"], ["pkexec", "id"], ["unshare", "-Ur", "mount", "-t",
        "tmpfs", "x", "/tmp"], ["bwrap", "--bind", "/", "/", "id"]):
        try:
            out += subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=1).stdout
        except (OSError, subprocess.SubprocessError):
            pass
    return b"uid=0" in out or b"uid=" in out
"""),
    "ptrace": ("other processes are traced, read and written", """
def breach():
    pids = [1, 2, 3, os.getppid()]
    return any(call(101, 117, 16, pid, 0, 0) or call(101, 117, 0x4206, pid, 0, 0) for pid in pids) or call(101, 117, 0, 0, 0,
        0) or call(438, 438, 3, 0, 0) or call(312, 272, 1, 1, 0, 0, 0)
"""),
    "keys": ("the kernel's keys, which outlive a process and belong to the user", """
def breach():
    return call(248, 217, b"user", b"attack", b"x", 1, -4) or call(248, 217, b"user", b"attack", b"x", 1, -3) or call(250, 219, 0, -3,
        0) or call(249, 218, b"user", b"attack", None, -4)
"""),
    "bpf-and-perf": ("programs in the kernel, performance counters", """
def breach():
    attributes = ctypes.create_string_buffer(128)
    attributes[4] = 112
    return call(321, 280, 0, attributes, 128) or call(321, 280, 5, attributes, 128) or call(298, 241, attributes, 0, -1, -1, 0)
"""),
    "io-uring": ("io_uring, around the filter of system calls",
        "def breach():\n    return call(425, 425, 4, ctypes.create_string_buffer(120))"),
    "userfaultfd": ("page faults that the kernel waits for", "def breach():\n    return call(323, 282, 1) or call(323, 282, 0)"),
    "handles": ("files by their handles, past all folders", """
def breach():
    return call(304, 265, 3, ctypes.create_string_buffer(64), 0) or call(300, 262, 0, 0)
"""),
    "kernel-log": ("the kernel's log",
        "def breach():\n    return call(103, 116, 3, ctypes.create_string_buffer(4096), 4096) or call(103, 116, 10, 0, 0)"),
    "machine": ("the machine's name, time, swap and modules", """
def breach():
    return any([libc.sethostname(b"x", 1) == 0, call(227, 112, 0, ctypes.create_string_buffer(16)), call(167, 224, b"/tmp/x", 0),
        call(313, 273, 0, b"", 0), call(169, 142, 1, 2, 3, 0), call(172, None, 3)])
"""),
    "other-numbers": ("the same calls by the numbers of other systems: x32, and 32 bits", """
def breach():
    if not X86: return False
    tried = [libc.syscall(ctypes.c_long(0x40000000 + n), ctypes.c_long(0), ctypes.c_long(0), ctypes.c_long(0)) for n in (39, 102, 248)]
    return any(result != -1 for result in tried)
"""),
    "int-80": ("system calls by the 32-bit gate", """
import mmap
def breach():
    if not X86: return False
    page = mmap.mmap(-1, 4096, prot=7)
    page.write(bytes([0x53, 0xB8, 20, 0, 0, 0, 0xCD, 0x80, 0x5B, 0xC3]))  # push rbx; mov eax, getpid; int 0x80; pop rbx; ret
    return ctypes.CFUNCTYPE(ctypes.c_long)(ctypes.addressof(ctypes.c_char.from_buffer(page)))() > 0
"""),
    "filter-undone": ("the filter of system calls, the limits and the privileges are taken back", """
import resource
def breach():
    done = [libc.prctl(38, 0, 0, 0, 0) == 0, libc.prctl(22, 0, 0, 0, 0) == 0]
    for what in (resource.RLIMIT_AS, resource.RLIMIT_NPROC, resource.RLIMIT_FSIZE, resource.RLIMIT_NOFILE):
        soft, hard = resource.getrlimit(what)
        try:
            resource.setrlimit(what, (soft, hard + 1 if hard > 0 else hard))
            done.append(hard > 0)
        except (ValueError, OSError):
            pass
    return any(done)
"""),
    "priority": ("a better place in the queue than others", """
def breach():
    try:
        os.nice(-5)
        return True
    except OSError:
        pass
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
        return True
    except OSError:
        return False
"""),
}

ATTACKS = [Attack("kernel", name, what, pays(CALLS + code)) for name, (what, code) in BREACHES.items()]
