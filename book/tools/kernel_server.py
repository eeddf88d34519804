"""A process that has imported what chapters import, and forks a kernel for each: half of a kernel's time goes into imports.

`kernels.py` starts it by its path, with a socket as its standard input. A request is a line of JSON: {"arguments": the kernel's, "folder": where
it works, "environment"}; the answer is a line with the new process's number. It ends when the socket is closed, and its kernels with it.
"""

import gc
import importlib
import json
import os
import signal
import socket
import sys

BACKEND = "module://matplotlib_inline.backend_inline"  # what ipykernel sets, and matplotlib asks for when it is imported
# Not pyplot and not the backend itself: these ask for the kernel that they are in.
EARLY = ("ipykernel.kernelapp", "matplotlib.figure", "matplotlib.backends.backend_agg", "matplotlib.backends.backend_svg",
         "numpy", "torch")


def serve(requests) -> None:
    for line in requests:
        number = os.fork()
        if number == 0:
            return become(**json.loads(line))
        os.setpgid(number, number)  # here, so that it has a group of its own before anyone asks for its group
        requests.write(f"{number}\n")
        requests.flush()


def become(arguments: list[str], folder: str, environment: dict[str, str]) -> None:
    """Be a kernel until it is shut down."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    sys.argv[1:] = arguments
    from ipykernel.kernelapp import IPKernelApp

    IPKernelApp.launch_instance([*arguments, f"--IPKernelApp.parent_handle={os.getppid()}"])  # it ends when this server does


if __name__ == "__main__":
    del sys.path[0]  # this file's folder, which no kernel shall find modules in
    os.environ["MPLBACKEND"] = BACKEND
    os.environ["OPENBLAS_NUM_THREADS"] = "1"  # who measures sets it before the import, which would be too late here
    for name in EARLY:
        importlib.import_module(name)
    gc.freeze()  # what is never looked at again is never copied
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # whoever has asked looks whether a kernel is there, and waits for no status
    serve(socket.socket(fileno=0).makefile("rw", encoding="utf-8"))
