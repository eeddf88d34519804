"""The first process in the sandbox: it loads the libraries once, then forks a process for each submission. It never runs student code.

It takes orders over one inherited socket, one at a time:
    {"order": "begin", "framework": …, "limits": {…}, "plots": …} with a socket   → {"begun": true} or {"refused": reason}
    {"order": "end"}                                                               → {"peak_memory_bytes": …, "status": …}
Submissions that plot are forked from a second zygote, made for the first of them: the plotting library more than doubles the memory
that a fork has to copy, twenty times for each submission.
"""

import importlib
import io
import json
import os
import platform
import resource
import signal
import socket
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import calls
import cells
import forking
import namespaces
import student
import syscalls
import watching
import wire

NOBODY = 65534
M_MMAP_THRESHOLD = -3  # of mallopt(3)
PRELOAD = {
    "numpy": ("numpy", "safetensors.numpy"),
    "torch": ("numpy", "safetensors.numpy", "torch", "torch.testing", "safetensors.torch"),
}
PRELOAD["triton"] = PRELOAD["triton-compiled"] = (*PRELOAD["torch"], "triton", "triton.language", "torch.utils._python_dispatch")


def main(control_fd, isolated, framework, kept):
    control = socket.socket(fileno=control_fd)
    if isolated and os.getuid() == 0:
        become_nobody()
    preload(framework)
    forking.settle()
    wire.send(control, {"ready": True, "address_space": address_space()})
    plotting, zygotes = None, {os.getpid()}
    while True:
        try:
            (order, _), connection = wire.receive_with_socket(control)
            if order.get("order") != "begin" or connection is None:
                wire.send(control, {"refused": "the order is not understood"})
            elif order.get("plots"):
                if plotting is None:
                    plotting, pid = start_plotting(control, connection, isolated, kept)
                    zygotes.add(pid)
                with connection:
                    wire.send_with_socket(plotting, order, connection)
                wire.receive(plotting)  # that it is done; what there is to answer it answers itself
            else:
                see_through(control, [plotting], zygotes, order, connection, isolated, kept)
        except wire.Closed:
            return


def start_plotting(control, connection, isolated, kept):
    """Fork the zygote for submissions that plot. Returns the connection to it and its number; it ends with this one.

    connection: the first such submission's, which is handed on.
    """
    ours, theirs = wire.pair()
    pid = os.fork()
    if pid:
        theirs.close()
        return ours, pid
    try:
        ours.close()
        connection.close()  # or nobody would see the submission's process end
        if isolated:
            namespaces.die_with_parent()
        preload_plotting()
        forking.settle()
        while True:
            (order, _), connection = wire.receive_with_socket(theirs)
            if order["limits"]["base_address_space"]:
                order["limits"]["base_address_space"] = address_space()
            see_through(control, [theirs], {os.getpid(), os.getppid()}, order, connection, isolated, kept)
            wire.send(theirs, {"done": True})
    finally:
        os._exit(0)


def become_nobody():
    """Stop being root: the kernel bounds the number of processes of every user but root."""
    os.setgroups([])
    os.setresgid(NOBODY, NOBODY, NOBODY)
    os.setresuid(NOBODY, NOBODY, NOBODY)
    namespaces.libc.prctl(namespaces.PR_SET_DUMPABLE, 1, 0, 0, 0)  # or /proc/self/uid_map belongs to root


def preload(framework):
    """Import what submissions import, once for all of them."""
    if framework.startswith("triton"):
        os.environ["TRITON_INTERPRET"] = str(int(framework == "triton"))  # looked at once, when it is imported
    for name in PRELOAD[framework]:
        importlib.import_module(name)
    arrays = wire.arrays_of(framework)
    cells.rehearse(arrays)
    calls.rehearse(arrays)
    syscalls.compiled(platform.machine())
    if arrays == "torch":
        import torch

        torch.set_num_threads(1)
        torch.zeros(1).half().float()  # PyTorch reads /proc/cpuinfo at the first half-precision number; later that is covered
        torch.broadcast_shapes((1,), (1,))  # its first call imports 500 modules, which takes 0.4 s and 34 MiB: once here, not in every test
    if framework.startswith("triton"):
        import kernel_rehearsal

        kernel_rehearsal.rehearse(interpreted=framework == "triton")


def preload_plotting():
    """Import what plots need, too."""
    import matplotlib

    matplotlib.use("agg")
    import matplotlib.pyplot  # noqa: F401  (its font list takes a second to make)
    import matplotlib_inline.backend_inline  # noqa: F401

    matplotlib.pyplot.plot([1, 2])
    matplotlib.pyplot.savefig(io.BytesIO())  # the first picture takes longer than all others
    matplotlib.pyplot.close("all")


def address_space(pid="self"):
    """The bytes of address space that a process has in use, or 0 where the system does not say."""
    try:
        with open(f"/proc/{pid}/statm") as file:
            return int(file.read().split()[0]) * resource.getpagesize()
    except OSError:
        return 0


def see_through(control, others, zygotes, order, connection, isolated, kept):
    """Begin a submission as ordered, see it through, and answer.

    control and the others: connections that no student may have. zygotes: the numbers of our own processes.
    """
    user = os.getuid(), os.getgid()
    child = namespaces.fork() if isolated else os.fork()
    if child == 0:
        for trusted in filter(None, (control, *others)):
            trusted.close()
        become_submission(connection, order, isolated, kept, user)
    connection.close()
    wire.send(control, {"begun": True})
    while next_order(control, isolated, order["limits"]["total_memory_bytes"], child, zygotes) == "hold":
        pass
    kill_tree(child)
    _, status, usage = os.wait4(child, 0)
    unit = 1 if sys.platform == "darwin" else 1024
    wire.send(control, {"peak_memory_bytes": usage.ru_maxrss * unit, "status": status})


def next_order(control, isolated, most_bytes, child, zygotes):
    """Watch over the submission until an order comes, to hold its memory or to end it; carry out the first, and return its name."""
    if isolated:
        watching.watch(control, most_bytes, lambda: kill_tree(child), zygotes)
    try:
        order, _ = wire.receive(control)
    except wire.Closed:
        return "end"  # the grader has gone: clear up all the same
    if order["order"] == "hold":
        wire.send(control, {"held": hold(child, order["memory_bytes"])})
    return order["order"]


def hold(pid, memory_bytes):
    """Let a process, and those that it forks, take so many bytes beyond what it has now, and never more than before. Returns whether that could be done.

    It is done from here, since student code can change what its own process does. Where the system does not tell what a process has, there
    is no limit, as there is none for a submission.
    """
    space = address_space(pid)
    if not space:
        return True
    try:
        _, most = resource.prlimit(pid, resource.RLIMIT_AS)
        held = space + memory_bytes if most == resource.RLIM_INFINITY else min(space + memory_bytes, most)
        resource.prlimit(pid, resource.RLIMIT_AS, (held, held))
    except ProcessLookupError:
        pass  # it has ended, and who asks it for something will see
    except OSError:
        return False
    return True


def kill_tree(pid):
    """Kill a process and its group; where it is the first of a pid namespace, everything in there dies with it."""
    for kill in (os.kill, os.killpg):
        try:
            kill(pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            pass


def become_submission(connection, order, isolated, kept, user):
    """In the forked child: close it off, and become the process that runs one student's code. Never returns."""
    try:
        limits = order["limits"]
        if isolated:
            namespaces.die_with_parent()
            os.setsid()  # or a signal to the own process group would reach the parent, which lies outside
            namespaces.map_user(*user)
            namespaces.close_off(limits["tmp_bytes"], kept)
        else:
            os.setpgid(0, 0)
        os.chdir("/tmp")
        if limits["watched"]:
            give_back_large_blocks()
        space = address_space_limit(limits)
        namespaces.limit(space, limits["processes"], limits["file_bytes"], limits["open_files"], isolated)
        silence()
        student.serve(connection, order["framework"], isolated, kept)
    except BaseException as error:
        try:
            wire.send(connection, {"failed": f"{type(error).__name__}: {error}"[:300]})
        except BaseException:
            pass
    finally:
        os._exit(0)


def address_space_limit(limits):
    """What the process has now, plus what a submission may add; no limit where the system does not tell the first."""
    return limits["base_address_space"] + limits["memory_bytes"] if limits["base_address_space"] else resource.RLIM_INFINITY


def give_back_large_blocks():
    """Have a large block of memory handed back as soon as it is freed.

    Else glibc keeps it where a small block has been put in its place, and tensors that are never there at the same time add up.
    """
    mallopt = getattr(namespaces.libc, "mallopt", None)  # glibc's alone
    if mallopt:
        mallopt(M_MMAP_THRESHOLD, 1 << 16)


def silence():
    """Send what student code prints nowhere: a million lines cost nothing, and nothing waits for input."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nowhere, descriptor)
    os.close(nowhere)


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2] == "isolated", sys.argv[3], json.loads(sys.argv[4]))
