"""A process of its own: new namespaces, an empty /proc, a private /tmp, no capabilities, fewer system calls, bounded resources."""

import ctypes
import errno
import os
import platform
import resource
import signal
import time

import syscalls

PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_CAPBSET_DROP, PR_SET_NO_NEW_PRIVS, PR_GET_TID_ADDRESS = 1, 4, 24, 38, 40
CLONE_CHILD_CLEARTID, CLONE_CHILD_SETTID = 0x00200000, 0x01000000
CLONE_FLAGS = syscalls.OF_A_TEST | CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID | signal.SIGCHLD
MACHINE = platform.machine()
CLONE = dict(zip(syscalls.ARCHITECTURES, syscalls.WITH_ARGUMENTS["clone"])).get(MACHINE)
MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_BIND, MS_REC = 2, 4, 8, 4096, 16384
OWN = "/proc/self"  # a process with a GPU sees itself there, and nothing else: CUDA looks
TERMINALS = 16  # the machine has some thousands, for all its users

libc = ctypes.CDLL(None, use_errno=True)
_syscall = ctypes.PyDLL(None, use_errno=True).syscall  # holds the interpreter's lock, as a fork has to
CAPABILITIES_OF_THIS_PROCESS = (ctypes.c_uint32 * 2)(0x20080522, 0)  # _LINUX_CAPABILITY_VERSION_3
NO_CAPABILITIES = (ctypes.c_uint32 * 6)()
_syscall.argtypes, _syscall.restype = [ctypes.c_long, ctypes.c_ulong] + 4 * [ctypes.c_void_p], ctypes.c_long


def check(result, what):
    """Raise OSError, saying what was tried, where a C call has failed."""
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")


def fork(alone=True, hooks=True):
    """As os.fork(), but the child is the first process of new user, pid, mount and IPC namespaces, and nobody in its own eyes.

    One system call makes the process and its namespaces: a process of Python with its libraries takes milliseconds to copy, which
    os.fork(), unshare and another os.fork() would pay twice. alone: this process has no other threads. Where it has some, or where this
    system cannot be asked for all that the call needs, the three steps are taken all the same; they leave the C library in order.
    hooks: the interpreter gets to know of the fork, which takes another millisecond. Without, and alone, it goes on in the child as if
    it were the parent: there is no thread that is missing there, no lock that is held, and random numbers go on where they were.
    """
    own_number = place_of_own_number() if alone and MACHINE in syscalls.ARCHITECTURES else None
    for _ in range(100):
        pid = _fork_twice() if own_number is None else _clone(own_number, hooks)
        if pid >= 0:
            return pid
        if ctypes.get_errno() != errno.ENOSPC:
            break
        time.sleep(0.02)  # the namespaces of tests that have ended are cleared away a little later
    number = ctypes.get_errno()
    raise OSError(number, f"a process in new namespaces: {os.strerror(number)}")


def place_of_own_number():
    """Where the C library keeps this thread's number, which is another one in a new process; None where the kernel does not say."""
    place = ctypes.c_void_p()
    return place.value if libc.prctl(PR_GET_TID_ADDRESS, ctypes.byref(place), 0, 0, 0) == 0 else None


def _clone(own_number, hooks):
    """clone with the flags of namespaces, and around it what os.fork() does for the interpreter. Returns −1 where it has failed."""
    if not hooks:
        return _syscall(CLONE, CLONE_FLAGS, None, None, own_number, own_number)  # the last two change places between processors
    ctypes.pythonapi.PyOS_BeforeFork()
    pid = _syscall(CLONE, CLONE_FLAGS, None, None, own_number, own_number)
    if pid == 0:
        ctypes.pythonapi.PyOS_AfterFork_Child()
    else:
        ctypes.pythonapi.PyOS_AfterFork_Parent()
    return pid


def _fork_twice():
    """The same in three steps: a process in between moves into the new namespaces, and its child is their first process."""
    read, write = os.pipe()
    middle = os.fork()
    if middle == 0:
        try:
            answer = os.fork() if libc.unshare(syscalls.OF_A_TEST) == 0 else -ctypes.get_errno()
        except BaseException as error:
            answer = -(getattr(error, "errno", None) or errno.EAGAIN)
        if answer == 0:
            os.close(read)
            os.close(write)
            return 0
        os.write(write, str(answer).encode())
        os._exit(0)
    os.close(write)
    answer = int(os.read(read, 20) or -errno.EAGAIN)
    os.close(read)
    os.waitpid(middle, 0)
    if answer < 0:
        ctypes.set_errno(-answer)
    return max(answer, -1)


def map_user(uid, gid):
    """In a process that has come out of fork(): be that user in the new user namespace. It needs /proc."""
    _write("/proc/self/setgroups", "deny")
    _write("/proc/self/uid_map", f"{uid} {uid} 1")
    _write("/proc/self/gid_map", f"{gid} {gid} 1")


def close_off(tmp_bytes, kept):
    """In a submission's first process: hide /proc, give a private /tmp and /dev/shm, give up every capability."""
    _write("/proc/self/oom_score_adj", "1000")  # where the machine runs out of memory, student code goes first
    _write("/proc/self/coredump_filter", "0")  # a program that collects core files gets nothing but their heads
    _write("/proc/sys/user/max_user_namespaces", "64")  # for the tests, one after the other; the kernel clears up late
    for view, place in kept.items():
        if place == OWN:
            check(libc.mount(OWN.encode(), view.encode(), None, MS_BIND, None), "a view of the process itself")
    check(libc.mount(b"tmpfs", b"/proc", b"tmpfs", MS_NOSUID | MS_NODEV, b"size=4k,mode=555"), "hide /proc")
    for place in (b"/tmp", b"/dev/shm"):
        options = f"size={tmp_bytes},mode=1777,nr_inodes=4096".encode()
        check(libc.mount(b"tmpfs", place, b"tmpfs", MS_NOSUID | MS_NODEV, options), f"private {place.decode()}")
    terminals = f"newinstance,ptmxmode=0666,mode=620,max={TERMINALS}".encode()
    check(libc.mount(b"devpts", b"/dev/pts", b"devpts", MS_NOSUID | MS_NOEXEC, terminals), "private terminals")
    show_again(kept)
    drop_capabilities()
    syscalls.confine(libc)


def close_off_test(folder, kept):
    """In a test's first process: lay an empty folder over /tmp and /dev/shm, give up every capability.

    A file system mounted here would belong to nobody and could not be written to, so a folder of the submission's serves.
    """
    for place in (b"/dev/shm", b"/tmp"):
        check(libc.mount(folder.encode(), place, None, MS_BIND, None), f"private {place.decode()}")
    show_again(kept)
    give_up_capabilities()
    syscalls.confine(libc, in_test=True)


def show_again(kept):
    """Show again what the private folders have covered: an environment may lie under /tmp, and CUDA reads files in /proc. kept: {second view: place}."""
    for copy, place in kept.items():
        if os.path.isdir(copy):
            os.makedirs(place, exist_ok=True)
        elif not os.path.exists(place):
            os.makedirs(os.path.dirname(place), exist_ok=True)
            os.close(os.open(place, os.O_CREAT | os.O_WRONLY, 0o444))
        check(libc.mount(copy.encode(), place.encode(), None, MS_BIND | MS_REC, None), f"show {place}")


def drop_capabilities():
    """Give up all capabilities for good, those that a program could regain included."""
    libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    capability = 0
    while libc.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) == 0:  # fails at the first that the kernel does not know
        capability += 1
    give_up_capabilities()


def give_up_capabilities():
    """Give up all capabilities. No program regains any where no_new_privs has been set, as it is in a submission and all it starts."""
    check(libc.capset(CAPABILITIES_OF_THIS_PROCESS, NO_CAPABILITIES), "capset")


def die_with_parent():
    """Be killed when the parent ends, whatever way it ends."""
    libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


def limit(address_space, processes, file_bytes, open_files, isolated):
    """Bound what the process and its children may use."""
    bound(resource.RLIMIT_AS, address_space)
    bound(resource.RLIMIT_FSIZE, file_bytes)
    bound(resource.RLIMIT_NOFILE, open_files)
    bound(resource.RLIMIT_CORE, 1)  # 0 would still start a program that collects core files, where the system has one
    if isolated:  # outside a user namespace the count is that of all the user's processes
        bound(resource.RLIMIT_NPROC, processes)


def bound(what, most):
    """Set a limit for good; a lower one that is there already stays."""
    hard = resource.getrlimit(what)[1]
    if hard != resource.RLIM_INFINITY and (most == resource.RLIM_INFINITY or hard < most):
        most = hard
    resource.setrlimit(what, (most, most))


def _write(path, text):
    with open(path, "w") as file:
        file.write(text)
