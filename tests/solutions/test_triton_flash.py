"""The Triton kernel in Triton's interpreter, in the compiler for GPUs that are not there, and on a GPU where there is one.

Triton decides when it is imported whether it interprets or compiles, so each way has a process of its own: tests/solutions/triton_runs.py.
"""

import importlib.util
import json
import os
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest
import torch

ROOT = Path(__file__).resolve().parents[2]
RUNS = Path(__file__).with_name("triton_runs.py")
SHARED_MEMORY = {80: 163 * 1024, 90: 227 * 1024}  # bytes that a program may have (CUDA C++ Programming Guide, compute capabilities)
REGISTERS = 255  # that a thread may have
LAYOUTS = ("contiguous", "transposed", "sliced")
LENGTHS = [(1, 1), (64, 64), (7, 100), (130, 5), (129, 131), (1, 200)]  # L, S
SIZES = [(dtype, causal, *lengths) for dtype in ("float32", "float16") for causal in (False, True) for lengths in LENGTHS]

pytestmark = pytest.mark.skipif(importlib.util.find_spec("triton") is None, reason="Triton is not installed; it is made for Linux")


@cache
def runs(kind, interpreted=False):
    """What triton_runs.py finds, {name: result}."""
    environment = {name: value for name, value in os.environ.items() if name != "TRITON_INTERPRET"}
    environment |= {"PYTHONPATH": str(ROOT), "TRITON_CACHE_DIR": str(ROOT / "_build" / "triton")} | ({"TRITON_INTERPRET": "1"} if interpreted else {})
    done = subprocess.run([sys.executable, str(RUNS), kind], env=environment, capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout.splitlines()[-1])


def name_of(*parts):
    return "-".join(str(part) for part in parts)


# In the interpreter


def agrees(found):
    """No NaN (a stray load would bring one), no stray store, inputs unchanged, and within twice the error of PyTorch in the same type."""
    assert found["shape"] and found["finite"] and found["unchanged"], found
    assert found["strays"] == 0, f"{found['strays']} numbers outside the output were written to"
    assert found["error"] <= 2 * found["low"] + found["rounding"], found


@pytest.mark.parametrize("size", SIZES, ids=lambda size: name_of(*size))
def test_agrees_with_float64(size):
    agrees(runs("lengths", interpreted=True)[name_of(*size)])


@pytest.mark.parametrize("dtype", ["float32", "float16"])
@pytest.mark.parametrize("d_head", [32, 64, 128])
def test_every_head_size(dtype, d_head):
    agrees(runs("widths", interpreted=True)[name_of(dtype, d_head)])


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("causal", [False, True])
def test_layouts(layout, causal):
    agrees(runs("layouts", interpreted=True)[name_of(layout, causal)])


@pytest.mark.parametrize("scores", ["rising", "falling", "peaked", "far-below-0"])
def test_scores_that_find_faults(scores):
    agrees(runs("scores", interpreted=True)[scores])


def test_queries_that_see_nothing_get_zeros():
    found = runs("scores", interpreted=True)["nothing-seen"]
    assert found["zeros"] == [True, True, True, False, False], "5 queries and 2 keys: the first three see none"


def test_no_keys_and_no_queries():
    found = runs("scores", interpreted=True)
    assert found["no-keys"] == {"shape": [1, 2, 3, 32], "zero": True}
    assert found["no-queries"]["shape"] == [1, 2, 0, 32]


def test_guard_bands_see_a_kernel_without_masks():
    """The check itself: the same kernel with its masks taken away is found out."""
    found = runs("unmasked", interpreted=True)
    assert not found["load"]["finite"], "a stray load went unseen"
    assert found["store"]["strays"] > 0, "a stray store went unseen"


@pytest.mark.parametrize(("case", "kind", "numbers"), [
    ("d_head", "ValueError", ["32", "64"]), ("values", "ValueError", ["5", "6"]), ("heads", "ValueError", ["2", "3"]),
    ("size", "ValueError", ["48"]), ("dimensions", "ValueError", ["3", "4"]), ("dtype", "TypeError", ["float64"]),
    ("mixed", "TypeError", ["float16", "float32"]),
])
def test_errors_name_what_disagrees(case, kind, numbers):
    found = runs("errors", interpreted=True)[case]
    assert found["kind"] == kind
    assert all(number in found["message"] for number in numbers), found["message"]


# The kernels for training, in the interpreter


def trains(found):
    """The output and the gradients within three times the error of the formula in the same type, and what a few roundings cost."""
    for name, one in found.items():
        eps = 1e-6 if one["low"] < 1e-4 else 1e-3
        assert one["same"], f"{name} has another shape or dtype"
        assert one["error"] <= 3 * one["low"] + 16 * eps * max(1.0, one["size"]), (name, one)


@pytest.mark.parametrize("size", ["float32-False-70-45-32", "float32-True-40-90-32", "float32-True-90-40-64", "float16-True-130-130-64",
                                  "float16-False-70-33-128", "float32-False-1-1-32"])
def test_gradients_agree_with_float64(size):
    trains(runs("training", interpreted=True)[size])


# Compiled without a GPU


def compiled(capability):
    found = runs(f"compile-{capability}")
    if "skip" in found:
        pytest.skip(found["skip"])
    return found


@pytest.mark.parametrize("capability", [80, 90])
@pytest.mark.parametrize("d_head", [32, 64, 128])
@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
def test_compiles_and_fits(capability, dtype, d_head, record_property):
    found = compiled(capability)[name_of(dtype, d_head)]
    assert "problem" not in found, found
    for name in ("shared", "registers", "stack"):
        record_property(name, found[name])
    assert found["shared"] <= SHARED_MEMORY[capability], f"{found['shared']} bytes of shared memory"
    if found["registers"] is not None:  # where Triton brings the tool that reads them
        assert found["registers"] <= REGISTERS
        assert found["stack"] <= 64, f"{found['stack']} bytes of each thread's registers go to memory and back"


@pytest.mark.parametrize("capability", [80, 90])
@pytest.mark.parametrize("d_head", [32, 64, 128])
@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
def test_the_kernels_for_training_compile_and_fit(capability, dtype, d_head):
    found = compiled(capability)[name_of("training", dtype, d_head)]
    assert [kernel["name"] for kernel in found] == ["forward_kernel", "delta_kernel", "keys_kernel", "queries_kernel"]
    for kernel in found:
        assert kernel["shared"] <= SHARED_MEMORY[capability], kernel


@pytest.mark.parametrize("capability", [80, 90])
def test_precision_is_as_promised(capability):
    """Products of 16-bit numbers on the tensor cores, of float32 without TF32."""
    found = compiled(capability)
    assert "tf32" not in found["float32-64"]["products"]
    for dtype, name in (("float16", "f16"), ("bfloat16", "bf16")):
        assert f"f32.{name}.{name}" in found[f"{dtype}-64"]["products"], "16-bit products have to be summed in float32"


# On a GPU


needs_gpu = pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no CUDA GPU here")


@pytest.mark.cuda
@needs_gpu
@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("d_head", [32, 64, 128])
def test_gradients_on_a_gpu(dtype, causal, d_head):
    trains(runs("training-cuda")[name_of(dtype, causal, 200, 333, d_head)])


@pytest.mark.cuda
@needs_gpu
@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("d_head", [32, 64, 128])
def test_on_a_gpu(dtype, causal, d_head):
    agrees(runs("cuda")[name_of(dtype, causal, d_head)])
