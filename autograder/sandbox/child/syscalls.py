"""System calls that student code is refused: those that reach past namespaces, and those that take memory which no limit counts.

A classic BPF program, given to the kernel by seccomp; nothing can take it away again. Refused are

- looking into other processes, kernel keys, handles of files, the kernel's log, new mounts;
- interfaces known for holes in the kernel (bpf, io_uring, userfaultfd, perf);
- memory outside every address space and every file system's quota (memfd, System V shared memory and message queues);
- sockets of other families than UNIX, IPv4, IPv6 and netlink: AF_VSOCK knows no network namespaces and reaches a virtual machine's host.
"""

import ctypes
import errno
import functools
import platform
import struct

PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, SECCOMP_MODE_FILTER = 38, 22, 2
ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}  # AUDIT_ARCH_…
X32 = 0x40000000  # x86_64's other set of numbers begins here

# name: its number on x86_64, on aarch64 (None: there is none)
REFUSED = {
    "ptrace": (101, 117), "process_vm_readv": (310, 270), "process_vm_writev": (311, 271), "kcmp": (312, 272),
    "pidfd_getfd": (438, 438), "process_madvise": (440, 440),
    "add_key": (248, 217), "request_key": (249, 218), "keyctl": (250, 219),
    "bpf": (321, 280), "perf_event_open": (298, 241), "userfaultfd": (323, 282),
    "io_uring_setup": (425, 425), "io_uring_enter": (426, 426), "io_uring_register": (427, 427),
    "memfd_create": (319, 279), "memfd_secret": (447, 447), "shmget": (29, 194), "shmat": (30, 196), "msgget": (68, 186),
    "mq_open": (240, 180),
    "umount2": (166, 39), "pivot_root": (155, 41), "chroot": (161, 51), "setns": (308, 268),
    "open_tree": (428, 428), "move_mount": (429, 429), "fsopen": (430, 430), "fsconfig": (431, 431), "fsmount": (432, 432),
    "fspick": (433, 433),
    "mount_setattr": (442, 442), "open_tree_attr": (467, 467),
    "open_by_handle_at": (304, 265), "fanotify_init": (300, 262), "quotactl": (179, 60), "quotactl_fd": (443, 443), "acct": (163, 89),
    "syslog": (103, 116), "reboot": (169, 142), "swapon": (167, 224), "swapoff": (168, 225),
    "init_module": (175, 105), "finit_module": (313, 273), "delete_module": (176, 106), "kexec_load": (246, 104),
    "kexec_file_load": (320, 294),
    "settimeofday": (164, 170), "clock_settime": (227, 112), "adjtimex": (159, 171), "sethostname": (170, 161), "setdomainname": (171, 162),
    "personality": (135, 92), "vhangup": (153, 58), "iopl": (172, None), "ioperm": (173, None), "modify_ldt": (154, None),
    "uselib": (134, None),
}
REFUSED_IN_TESTS = {"mount": (165, 40), "unshare": (272, 97)}
WITH_ARGUMENTS = {"socket": (41, 198), "clone": (56, 220), "clone3": (435, 435), "mount": (165, 40), "unshare": (272, 97)}

FAMILIES = (1, 2, 10, 16)  # AF_UNIX, AF_INET, AF_INET6, AF_NETLINK
NEW_NAMESPACES = 0x7E020080  # all CLONE_NEW… flags of clone
OF_A_TEST = 0x10000000 | 0x20000000 | 0x00020000 | 0x08000000  # what a test's process is made with: user, pid, mount, ipc
MS_BIND = 4096

LOAD, AND, EQUAL, AT_LEAST, ANY_BIT, RETURN = 0x20, 0x54, 0x15, 0x35, 0x45, 0x06
ALLOW, REFUSE = 0x7FFF0000, 0x00050000  # REFUSE takes an errno in its lower half
NUMBER, ARCHITECTURE = 0, 4  # places in struct seccomp_data


def confine(libc, in_test=False):
    """Refuse the calls from now on, here and in every process started from here. Nothing happens on other architectures.

    A submission's process still has to make namespaces for its tests: it keeps clone and unshare with exactly those flags, and bind
    mounts. in_test: these are refused as well, by a second and shorter filter; the submission's goes on to hold.
    """
    filters = compiled(platform.machine())[in_test]
    if filters is None:
        return
    libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    if libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, filters, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "the kernel takes no seccomp filter")


@functools.cache
def compiled(machine):
    """The two filters as the kernel takes them, of a submission and of a test; made once, in the zygote. None on other architectures."""
    if machine not in ARCHITECTURES:
        return None, None
    return tuple(map(packed, (program(machine), program_of_test(machine))))


def packed(lines):
    """A program as a struct sock_fprog, which points to its code."""
    code = ctypes.create_string_buffer(b"".join(struct.pack("<HBBI", *line) for line in lines), 8 * len(lines))
    filters = ctypes.create_string_buffer(struct.pack("@HP", len(lines), ctypes.addressof(code)))
    filters.code = code  # lives as long as what points to it
    return filters


def program(machine):
    """The filter of a submission, line by line: (code, jump if true, jump if false, constant)."""
    column = list(ARCHITECTURES).index(machine)
    lines = beginning(machine)
    for numbers in REFUSED.values():
        lines += when(numbers[column], [refuse(errno.EPERM)])
    arguments = {name: numbers[column] for name, numbers in WITH_ARGUMENTS.items()}
    families = [(EQUAL, len(FAMILIES) - i, 0, family) for i, family in enumerate(FAMILIES)]
    lines += when(arguments["socket"], [(LOAD, 0, 0, argument(0)), *families, refuse(errno.EAFNOSUPPORT), (RETURN, 0, 0, ALLOW)])
    lines += when(arguments["clone3"], [refuse(errno.ENOSYS)])  # its flags lie in memory; the C library then takes clone
    lines += when(arguments["clone"], unless_bits(0, NEW_NAMESPACES, but=OF_A_TEST))
    lines += when(arguments["unshare"], unless_bits(0, ~OF_A_TEST & 0xFFFFFFFF))
    lines += when(arguments["mount"], [(LOAD, 0, 0, argument(3)), (ANY_BIT, 1, 0, MS_BIND), refuse(errno.EPERM), (RETURN, 0, 0, ALLOW)])
    return [*lines, (RETURN, 0, 0, ALLOW)]


def program_of_test(machine):
    """What a test's process is refused on top of that: it makes no namespaces and no mounts any more."""
    column = list(ARCHITECTURES).index(machine)
    lines = beginning(machine)
    for numbers in REFUSED_IN_TESTS.values():
        lines += when(numbers[column], [refuse(errno.EPERM)])
    lines += when(WITH_ARGUMENTS["clone"][column], unless_bits(0, NEW_NAMESPACES))
    return [*lines, (RETURN, 0, 0, ALLOW)]


def beginning(machine):
    """The first lines: no other set of system calls than the machine's own; then the call's number is at hand."""
    lines = [(LOAD, 0, 0, ARCHITECTURE), (EQUAL, 1, 0, ARCHITECTURES[machine]), refuse(errno.ENOSYS), (LOAD, 0, 0, NUMBER)]
    return lines + ([(AT_LEAST, 0, 1, X32), refuse(errno.ENOSYS)] if machine == "x86_64" else [])


def when(number, body):
    """The body for one system call; nothing where the architecture does not have it."""
    return [] if number is None else [(EQUAL, 0, len(body), number), *body]


def unless_bits(place, bits, but=None):
    """Let the call pass unless one of the bits is set in an argument. but: these, all of them and no others, may be set together."""
    together = [] if but is None else [(AND, 0, 0, bits), (EQUAL, 2, 0, but)]
    return [(LOAD, 0, 0, argument(place)), *together, (ANY_BIT, 0, 1, bits), refuse(errno.EPERM), (RETURN, 0, 0, ALLOW)]


def argument(place):
    """Where the lower half of an argument lies."""
    return 16 + 8 * place


def refuse(number):
    """Let the call fail with an errno."""
    return (RETURN, 0, 0, REFUSE | number)
