"""Kernels of a build: they take no ports, share what they import and nothing else, and leave nothing behind."""

import os
import subprocess
import sys
import time
from pathlib import Path

import jupyter_client
import nbformat
import pytest
from jupyter_client.provisioning import local_provisioner
from nbclient import NotebookClient
from nbclient.exceptions import CellTimeoutError

from book.tools import kernels
from book.tools.paths import ROOT

forked = pytest.mark.skipif(sys.platform != "linux", reason="kernels are forked on Linux alone")


@pytest.fixture
def prepared(monkeypatch):
    """This process executes notebooks as a build does, until the test ends."""
    monkeypatch.setattr(jupyter_client, "AsyncKernelManager", jupyter_client.AsyncKernelManager)
    monkeypatch.setattr(local_provisioner, "launch_kernel", local_provisioner.launch_kernel)
    monkeypatch.delenv("MPLBACKEND", raising=False)
    kernels.prepare()


def run(*cells, timeout=120, **resources):
    """What each cell prints."""
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    NotebookClient(notebook, timeout=timeout, kernel_name="python3", resources={"metadata": resources}).execute()
    return ["".join(each.get("text", "") for each in cell.outputs).strip() for cell in notebook.cells]


def alive(number):
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no Unix sockets for kernels")
def test_every_notebook_has_sockets_of_its_own(prepared):
    show = "from ipykernel.kernelapp import IPKernelApp\napp = IPKernelApp.instance()\nprint(app.transport, app.ip)"
    (transport, first), (_, second) = (run(show)[0].split(maxsplit=1) for _ in range(2))
    assert transport == "ipc"
    assert first != second
    assert not any(Path(place).parent.exists() for place in (first, second))


def test_windows_has_ports(monkeypatch):
    monkeypatch.setattr(kernels.sys, "platform", "win32")
    manager = kernels.SocketKernelManager()
    assert manager.transport == "tcp"
    assert manager.ip == "127.0.0.1"


@forked
def test_kernels_are_forked_and_share_no_variables(prepared):
    show = "import os\nprint(os.getpid(), os.getppid(), 'mine' in globals())\nmine = 1"
    (one, parent, first), (other, same, second) = (run(show)[0].split() for _ in range(2))
    assert one != other
    assert parent == same
    assert (first, second) == ("False", "False")
    assert not alive(int(one))


@forked
def test_a_forked_kernel_is_like_any_other(prepared, tmp_path):
    """Its folder, what it may import, its backend and the ends of its processes."""
    said = run("import os, sys\nprint(os.getcwd(), [each for each in sys.path if each and not each.startswith(sys.base_prefix)], __name__)",
               "import matplotlib.pyplot as plt\nprint(plt.get_backend())",
               "import subprocess\nprint(subprocess.run(['sh', '-c', 'exit 3']).returncode)",
               "try:\n    input()\nexcept Exception as error:\n    print(type(error).__name__)", path=str(tmp_path))
    folder, rest = said[0].split(maxsplit=1)
    assert Path(folder) == tmp_path
    assert str(ROOT / "book") not in rest
    assert f"'{ROOT}'" not in rest
    assert rest.endswith("__main__")
    assert said[1:] == ["module://matplotlib_inline.backend_inline", "3", "StdinNotImplementedError"]


@forked
def test_a_kernel_that_hangs_is_ended(prepared, monkeypatch):
    started, forked_ = [], kernels.Forked
    monkeypatch.setattr(kernels, "Forked", lambda number: started.append(number) or forked_(number))
    with pytest.raises(CellTimeoutError):
        run("import time\ntime.sleep(600)", timeout=2)
    (number,) = started
    assert not alive(number)


@forked
def test_a_kernel_ends_with_its_build(tmp_path):
    build = (f"import sys\nsys.path.insert(0, {str(ROOT)!r})\nfrom book.tools import kernels\nkernels.prepare()\n"
             "import asyncio, os, jupyter_client\nmanager = jupyter_client.AsyncKernelManager()\n"
             "asyncio.run(manager.start_kernel())\nprint(manager.provisioner.pid, flush=True)\nos._exit(1)")
    done = subprocess.run([sys.executable, "-c", build], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, cwd=tmp_path)
    kernel = int(done.stdout)
    for _ in range(300):
        if not alive(kernel):
            return
        time.sleep(0.1)
    pytest.fail("the kernel is still there")


@forked
def test_a_server_that_ends_is_named(monkeypatch, tmp_path):
    broken = tmp_path / "server.py"
    broken.write_text("input()\nraise SystemExit(3)")
    monkeypatch.setattr(kernels, "SERVER", broken)
    with pytest.raises(RuntimeError, match=r"server\.py, which forks them, has ended"):
        kernels.Server().launch([sys.executable, *kernels.ENTRY, "-f", "file"])


def test_other_kernels_start_as_ever(monkeypatch):
    started = []
    monkeypatch.setattr(kernels, "launch_kernel", lambda command, **others: started.append((command, others)))
    kernels.Server().launch(["julia", "-f", "file"], env={}, cwd="/")
    assert started == [(["julia", "-f", "file"], {"env": {}, "cwd": "/"})]


@forked
def test_numpy_computes_in_one_thread(prepared):
    """A chapter that measures asks for it before it imports NumPy; a forked kernel has imported it already."""
    threads = "import os\nprint(len(os.listdir('/proc/self/task')))"
    before, _, after = run(threads, "import numpy as np\nx = np.ones((1024, 1024))\nx @ x @ x", threads)
    assert before == after
