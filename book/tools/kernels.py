"""The kernels of a build. They talk through sockets in a folder of their own, and are forked from one process that has imported already.

A manager as it comes looks for five free TCP ports, lets go of them and tells the kernel to take them. Where several kernels start at once
another may be faster, and the page is not executed.
"""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

import jupyter_client
from jupyter_client.provisioning import local_provisioner
from traitlets import default

SERVER = Path(__file__).with_name("kernel_server.py")
ENTRY = ["-m", "ipykernel_launcher"]  # after the interpreter, in what starts a kernel of Python


class SocketKernelManager(jupyter_client.AsyncKernelManager):
    """A kernel manager whose kernels listen on Unix sockets, where the system has them."""

    @default("transport")
    def _transport_default(self) -> str:
        return "tcp" if sys.platform == "win32" else "ipc"

    @default("ip")
    def _ip_default(self) -> str:
        if self.transport == "tcp":
            return "127.0.0.1"
        # The sockets' names begin with it. A name of more than about 100 characters is refused, so they are not put under `_build/`.
        return str(Path(tempfile.mkdtemp(prefix="kernel-")) / "socket")

    def cleanup_ipc_files(self) -> None:
        super().cleanup_ipc_files()
        if self.transport == "ipc":
            shutil.rmtree(Path(self.ip).parent, ignore_errors=True)


class Forked:
    """A kernel that the server has forked, as far as a provisioner needs a `subprocess.Popen`."""

    stdin = stdout = stderr = None  # it has the build's

    def __init__(self, pid: int) -> None:
        self.pid = pid

    def poll(self) -> int | None:
        """None while it is there; what it ended with nobody knows."""
        try:
            os.kill(self.pid, 0)
        except ProcessLookupError:
            return 0
        return None

    wait = poll  # asked for when it has ended

    def send_signal(self, number: int) -> None:
        os.kill(self.pid, number)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)


class Server:
    """The process that kernels are forked from, started for the first of them."""

    def __init__(self) -> None:
        self.requests = None

    def launch(self, command: list[str], env: dict[str, str] | None = None, cwd: str | None = None, **others):
        """In place of jupyter_client's `launch_kernel`: a kernel of this interpreter is forked, any other one started as ever."""
        if command[:3] != [sys.executable, *ENTRY]:
            return launch_kernel(command, env=env, cwd=cwd, **others)
        if self.requests is None:
            ours, theirs = socket.socketpair()
            with theirs:
                subprocess.Popen([sys.executable, str(SERVER)], stdin=theirs)
            self.requests = ours.makefile("rw", encoding="utf-8")
        request = {"arguments": command[3:], "folder": str(cwd or Path.cwd()), "environment": dict(os.environ if env is None else env)}
        self.requests.write(json.dumps(request) + "\n")
        self.requests.flush()
        answer = self.requests.readline()
        if not answer:
            raise RuntimeError(f"no kernel could be started: {SERVER.name}, which forks them, has ended; what it printed says why")
        return Forked(int(answer))


launch_kernel = local_provisioner.launch_kernel


def prepare() -> None:
    """For every notebook that this process executes. To be called before MyST-NB executes any."""
    jupyter_client.AsyncKernelManager = SocketKernelManager
    if sys.platform == "linux":  # elsewhere libraries may not bear a fork
        local_provisioner.launch_kernel = Server().launch
