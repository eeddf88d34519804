"""The benchmark of the Triton kernels: its dry run, its refusal without a GPU, and, where there is one, a short run."""

import json
import os
import subprocess
import sys

import pytest
import torch

from autograder.assignment import ROOT

pytest.importorskip("triton", reason="Triton is not installed; it is made for Linux")

DRY = """
import json
from benchmarks import kernels
print(json.dumps(kernels.main({arguments!r})))
"""


def run(arguments, code=None):
    """The benchmark in a process of its own, since Triton decides at its import whether it interprets."""
    command = [sys.executable, "-c", code] if code else [sys.executable, "-m", "benchmarks.kernels", *arguments]
    environment = {name: value for name, value in os.environ.items() if name != "TRITON_INTERPRET"} | {"PYTHONPATH": str(ROOT)}
    return subprocess.run(command, capture_output=True, text=True, cwd=ROOT, env=environment, timeout=300)


def dry(*arguments):
    done = run(None, DRY.format(arguments=["--dry", *arguments]))
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout.splitlines()[-1])


def test_a_dry_run_goes_through_everything():
    figures = dry("--lengths", "40")["figures"]
    ours = [row for row in figures if row["way"] == "ours"]
    assert [(row["T"], row["causal"]) for row in ours] == [(40, False), (40, True)]
    assert all("problem" not in row and row["forward, ms"] > 0 and row["backward, ms"] > 0 for row in ours), ours
    assert {row["way"] for row in figures} == {"ours", "flash", "efficient", "cudnn", "math"}
    assert all("problem" not in row for row in figures if row["way"] == "math"), figures


def test_tiles_can_be_asked_for():
    found = dry("--lengths", "40", "--forward-tiles", "16", "16", "4", "1", "--no-backward")
    assert found["tiles"]["forward"] == [16, 16, 4, 1]
    assert all("problem" not in row for row in found["figures"] if row["way"] == "ours")


def test_a_dry_sweep_tells_the_fastest_tiles():
    rows = dry("--sweep")["sweep"]
    assert {row["kernel"] for row in rows} == {"forward", "keys", "queries"}
    assert all(row["ran"] == row["tried"] == 4 for row in rows)


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU here")
def test_without_a_gpu_it_refuses_with_the_reason_and_the_remedy():
    done = run([])
    assert done.returncode != 0
    assert "needs a CUDA GPU" in done.stderr and "--dry" in done.stderr


def test_a_wrong_result_is_no_figure():
    code = "\n".join((
        "import os, torch", "os.environ['TRITON_INTERPRET'] = '1'", "from benchmarks import kernels",
        "x = torch.randn(1, 1, 20, 32)", "right = kernels.formula(x, x, x, True)", "kernels.check(right, x, x, x, True)",
        "try:", "    kernels.check(1.001 * right, x, x, x, True)", "except ValueError as error:", "    print(error)",
    ))
    done = run(None, code)
    assert done.returncode == 0 and "the output is wrong by" in done.stdout, done.stderr


@pytest.mark.cuda
@pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no CUDA GPU here")
def test_a_short_run_on_a_gpu():
    code = "\n".join(("import json", "from benchmarks import common, kernels", "common.keep = lambda *_: None",
                      "print(json.dumps(kernels.main(['--lengths', '1024', '--heads', '64'])))"))
    done = run(None, code)
    assert done.returncode == 0, done.stderr[-2000:]
    ours = [row for row in json.loads(done.stdout.splitlines()[-1])["figures"] if row["way"] == "ours"]
    assert all("problem" not in row for row in ours), ours
