"""A process of its own: new namespaces, an empty /proc, a private /tmp, no capabilities, fewer system calls, bounded resources."""

import ctypes
import errno
import os
import resource
import time

import syscalls

CLONE_NEWNS, CLONE_NEWIPC, CLONE_NEWUSER, CLONE_NEWPID = 0x00020000, 0x08000000, 0x10000000, 0x20000000
PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_CAPBSET_DROP, PR_SET_NO_NEW_PRIVS = 1, 4, 24, 38
MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_BIND, MS_REC = 2, 4, 8, 4096, 16384
TERMINALS = 16  # the machine has some thousands, for all its users
SIGKILL = 9

libc = ctypes.CDLL(None, use_errno=True)


def check(result, what):
    """Raise OSError, saying what was tried, where a C call has failed."""
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")


def enter(map_user):
    """Move into new namespaces; the calling process's next child is the first process of the new pid namespace.

    map_user: keep the user's own number. It needs /proc; without, the process is nobody, in its own eyes alone.
    """
    uid, gid = os.getuid(), os.getgid()
    for _ in range(100):
        result = libc.unshare(CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNS | CLONE_NEWIPC)
        if result == 0 or ctypes.get_errno() != errno.ENOSPC:
            break
        time.sleep(0.02)  # the namespaces of tests that have ended are cleared away a little later
    check(result, "unshare")
    if map_user:
        _write("/proc/self/setgroups", "deny")
        _write("/proc/self/uid_map", f"{uid} {uid} 1")
        _write("/proc/self/gid_map", f"{gid} {gid} 1")


def close_off(tmp_bytes, kept):
    """In a submission's first process: hide /proc, give a private /tmp and /dev/shm, give up every capability."""
    _write("/proc/self/oom_score_adj", "1000")  # where the machine runs out of memory, student code goes first
    _write("/proc/self/coredump_filter", "0")  # a program that collects core files gets nothing but their heads
    _write("/proc/sys/user/max_user_namespaces", "64")  # for the tests, one after the other; the kernel clears up late
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
    drop_capabilities()
    syscalls.confine(libc, in_test=True)


def show_again(kept):
    """Show again what the private folders have covered: an environment may lie under /tmp. kept: {second view: place}."""
    for copy, place in kept.items():
        os.makedirs(place, exist_ok=True)
        check(libc.mount(copy.encode(), place.encode(), None, MS_BIND | MS_REC, None), f"show {place}")


def drop_capabilities():
    """Give up all capabilities for good, those that a program could regain included."""
    libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    for capability in range(64):
        libc.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0)
    header = (ctypes.c_uint32 * 2)(0x20080522, 0)  # _LINUX_CAPABILITY_VERSION_3, this process
    check(libc.capset(header, (ctypes.c_uint32 * 6)()), "capset")


def die_with_parent():
    """Be killed when the parent ends, whatever way it ends."""
    libc.prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0)


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
