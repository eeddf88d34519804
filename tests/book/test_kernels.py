"""Kernels of a build: they take no ports, and leave nothing behind."""

import sys
from pathlib import Path

import jupyter_client
import nbformat
import pytest
from nbclient import NotebookClient

from book.tools import kernels

SHOW = "from ipykernel.kernelapp import IPKernelApp\napp = IPKernelApp.instance()\nprint(app.transport, app.ip)"


def run(**settings):
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(SHOW)])
    NotebookClient(notebook, timeout=120, kernel_name="python3", **settings).execute()
    return notebook.cells[0].outputs[0].text.split(maxsplit=1)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no Unix sockets for kernels")
def test_every_notebook_has_sockets_of_its_own(monkeypatch):
    monkeypatch.setattr(jupyter_client, "AsyncKernelManager", jupyter_client.AsyncKernelManager)  # put back after the test
    kernels.prepare()
    (transport, first), (_, second) = run(), run()
    assert transport == "ipc"
    assert first != second
    assert not any(Path(place.strip()).parent.exists() for place in (first, second))


def test_windows_has_ports(monkeypatch):
    monkeypatch.setattr(kernels.sys, "platform", "win32")
    manager = kernels.SocketKernelManager()
    assert manager.transport == "tcp"
    assert manager.ip == "127.0.0.1"
