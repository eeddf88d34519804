"""Kernels that a build talks with through sockets in a folder of their own.

A manager looks for five free TCP ports, lets go of them and tells the kernel to take them. Where several kernels start at once another may be
faster, and the page is not executed.
"""

import shutil
import sys
import tempfile
from pathlib import Path

import jupyter_client
from traitlets import default


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


def prepare() -> None:
    """Makes it the manager of every notebook that this process executes. To be called before MyST-NB executes any."""
    jupyter_client.AsyncKernelManager = SocketKernelManager
