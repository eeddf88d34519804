"""The first process in the sandbox: it loads the libraries once, then forks a process for each submission. It never runs student code.

It takes orders over one inherited socket, one at a time:
    {"order": "begin", "framework": …, "limits": {…}} with a socket   → {"begun": true} or {"refused": reason}
    {"order": "end"}                                                   → {"peak_memory_bytes": …, "status": …}
"""

import importlib
import json
import os
import resource
import signal
import socket
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import cells
import namespaces
import student
import watching
import wire

NOBODY = 65534
PRELOAD = {
    "numpy": ("numpy", "safetensors.numpy"),
    "torch": ("numpy", "safetensors.numpy", "torch", "torch.testing", "safetensors.torch"),
}


def main(control_fd, isolated, framework, kept):
    control = socket.socket(fileno=control_fd)
    if isolated and os.getuid() == 0:
        become_nobody()
    preload(framework)
    wire.send(control, {"ready": True, "address_space": address_space()})
    while True:
        try:
            serve(control, isolated, kept)
        except wire.Closed:
            return


def become_nobody():
    """Stop being root: the kernel bounds the number of processes of every user but root."""
    os.setgroups([])
    os.setresgid(NOBODY, NOBODY, NOBODY)
    os.setresuid(NOBODY, NOBODY, NOBODY)
    namespaces.libc.prctl(namespaces.PR_SET_DUMPABLE, 1, 0, 0, 0)  # or /proc/self/uid_map belongs to root


def preload(framework):
    """Import what submissions import, once for all of them."""
    for name in PRELOAD[framework]:
        importlib.import_module(name)
    import matplotlib

    matplotlib.use("agg")
    import matplotlib.pyplot  # noqa: F401  (its font list takes a second to make)
    import matplotlib_inline.backend_inline  # noqa: F401

    cells.make_shell()

    if framework == "torch":
        import torch

        torch.set_num_threads(1)


def address_space():
    """The bytes of address space in use, or 0 where the system does not say."""
    try:
        with open("/proc/self/statm") as file:
            return int(file.read().split()[0]) * resource.getpagesize()
    except OSError:
        return 0


def serve(control, isolated, kept):
    """Take one order to begin, see the submission through, and answer."""
    (order, _), connection = wire.receive_with_socket(control)
    if order.get("order") != "begin" or connection is None:
        wire.send(control, {"refused": "the order is not understood"})
        return
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        control.close()
        os.close(read)
        become_submission(connection, order, isolated, kept, write)
    connection.close()
    os.close(write)
    wire.send(control, {"begun": True})
    first = int(os.read(read, 20) or child)
    os.close(read)
    if isolated:
        watching.watch(control, order["limits"]["total_memory_bytes"], lambda: kill_tree(first))
    try:
        wire.receive(control)  # the order to end, the only one that may come now
    except wire.Closed:
        pass  # the grader has gone: clear up all the same
    kill_tree(first)
    _, status, usage = os.wait4(child, 0)
    unit = 1 if sys.platform == "darwin" else 1024
    wire.send(control, {"peak_memory_bytes": usage.ru_maxrss * unit, "status": status})


def kill_tree(pid):
    """Kill a process and its group; where it is the first of a pid namespace, everything in there dies with it."""
    for kill in (os.kill, os.killpg):
        try:
            kill(pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            pass


def become_submission(connection, order, isolated, kept, tell_pid):
    """In the forked child: go into new namespaces, and become the process that runs one student's code. Never returns."""
    try:
        os.setpgid(0, 0)
        limits = order["limits"]
        if isolated:
            namespaces.enter(map_user=True)
            inner = os.fork()
            if inner:
                connection.close()
                os.write(tell_pid, str(inner).encode())
                os.close(tell_pid)
                os.waitpid(inner, 0)
                os._exit(0)
            os.setsid()  # or a signal to the own process group would reach the parent, which lies outside
            namespaces.die_with_parent()
            namespaces.close_off(limits["tmp_bytes"], kept)
        os.close(tell_pid)
        os.chdir("/tmp")
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


def silence():
    """Send what student code prints nowhere: a million lines cost nothing, and nothing waits for input."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nowhere, descriptor)
    os.close(nowhere)


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2] == "isolated", sys.argv[3], json.loads(sys.argv[4]))
