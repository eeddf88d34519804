"""The surroundings of kernels are laid out anew only where they differ, and kernels share no database."""

import os

import nbformat
from nbclient import NotebookClient

from book.tools import runtime
from book.tools.kernels import SocketKernelManager


def test_what_is_there_already_stays(tmp_path, monkeypatch):
    """A kernel may be reading it."""
    monkeypatch.setattr(runtime, "RUNTIME", tmp_path)
    path = tmp_path / "startup.py"
    runtime.write(path, "one")
    first = path.stat()
    runtime.write(path, "one")
    assert path.stat() == first
    with path.open(encoding="utf-8") as before:
        runtime.write(path, "two")
        assert before.read() == "one" and path.read_text(encoding="utf-8") == "two"
    assert os.listdir(tmp_path) == ["startup.py"]


def test_kernels_of_a_build_keep_no_history():
    runtime.prepare()
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("print(get_ipython().history_manager.enabled)")])
    NotebookClient(notebook, timeout=900, kernel_name="python3", kernel_manager_class=SocketKernelManager).execute(env=runtime.environment())
    assert notebook.cells[0].outputs[0].text == "False\n"
