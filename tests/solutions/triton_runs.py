"""Runs the Triton kernel and says what came out, as JSON; see test_triton_flash.py.

    TRITON_INTERPRET=1 python tests/solutions/triton_runs.py lengths|widths|layouts|scores|unmasked|errors|training
    python tests/solutions/triton_runs.py compile-80|compile-90|cuda|training-cuda
"""

import importlib.util
import inspect
import json
import math
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import torch
import triton

from autograder.sandbox.child import kernels
from solutions import triton_flash, triton_flash_backward
from solutions.triton_flash import flash_attention_triton

LENGTHS = [(1, 1), (64, 64), (7, 100), (130, 5), (129, 131), (1, 200)]
BAND = 20_000  # numbers on each side: more than any tile reaches
MARK = -77.0


def seen(n_queries, n_keys, causal, device="cpu"):
    """(L, S): j ≤ i + (S − L), or everything."""
    everything = torch.ones(n_queries, n_keys, dtype=torch.bool, device=device)
    return everything.tril(n_keys - n_queries) if causal else everything


def by_formula(q, k, v, causal):
    """Attention in the inputs' own type, with every score in memory; zeros where nothing is seen."""
    mask = seen(q.shape[2], k.shape[2], causal, q.device)
    scores = (q @ k.mT / math.sqrt(q.shape[-1])).masked_fill(~mask, -math.inf)
    return torch.softmax(scores, -1).nan_to_num(0.0) @ v


def random(*shape, seed=0, dtype=torch.float32, device="cpu"):
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed)).to(device, dtype)


def guarded(x, fill, layout="contiguous"):
    """A copy of x (B, H, T, Dh) between two bands of `fill`, in a layout of its own: (copy, buffer, belongs)."""
    shape = {"contiguous": x.shape, "transposed": x.mT.transpose(1, 3).shape, "sliced": (*x.shape[:3], x.shape[3] + 3)}[layout]
    size = math.prod(shape)
    buffer = torch.full((size + 2 * BAND,), fill, dtype=x.dtype, device=x.device)

    def view(flat):
        whole = flat[BAND:BAND + size].view(shape)
        return {"contiguous": whole, "transposed": whole.transpose(1, 3).mT, "sliced": whole[..., 1:-2]}[layout]

    belongs = torch.zeros_like(buffer, dtype=torch.bool)
    view(belongs)[...] = True
    copy = view(buffer)
    copy.copy_(x)
    return copy, buffer, belongs


def report(q, k, v, causal, layout="contiguous", function=None):
    """Runs the kernel on guarded inputs and a guarded output, and compares it with float64."""
    inputs = [guarded(x, math.nan, layout) for x in (q, k, v)]
    output, buffer, belongs = guarded(torch.zeros_like(q), MARK)
    place = torch.empty_like
    torch.empty_like = lambda x: output  # the kernel's output goes between bands, too
    try:
        found = (function or flash_attention_triton)(*[copy for copy, _, _ in inputs], causal)
    finally:
        torch.empty_like = place
    exact = by_formula(q.double(), k.double(), v.double(), causal)
    low = by_formula(q, k, v, causal)
    return {
        "shape": found.shape == q.shape and found.dtype == q.dtype,
        "finite": bool(found.isfinite().all()),
        "unchanged": all(torch.equal(copy, x) for (copy, _, _), x in zip(inputs, (q, k, v), strict=True)),
        "strays": int((buffer[~belongs] != MARK).sum()),
        "error": float((found - exact).abs().max()),
        "low": float((low - exact).abs().max()),
        "rounding": float(2 * (exact.to(q.dtype) + 0.3 - 0.3 - exact).abs().max()) + 1e-6,
    }


def lengths():
    for dtype in (torch.float32, torch.float16):
        for causal in (False, True):
            for n_queries, n_keys in LENGTHS:
                q, k, v = (random(1, 2, n, 32, seed=seed, dtype=dtype) for seed, n in enumerate((n_queries, n_keys, n_keys)))
                yield f"{str(dtype)[6:]}-{causal}-{n_queries}-{n_keys}", report(q, k, v, causal)


def widths():
    for dtype in (torch.float32, torch.float16):
        for d_head in (32, 64, 128):
            q, k, v = (random(1, 1, n, d_head, seed=seed, dtype=dtype) for seed, n in enumerate((70, 90, 90)))
            yield f"{str(dtype)[6:]}-{d_head}", report(q, k, v, True)


def layouts():
    for layout in ("contiguous", "transposed", "sliced"):
        for causal in (False, True):
            q, k, v = (random(2, 3, n, 32, seed=seed) for seed, n in enumerate((33, 70, 70)))
            yield f"{layout}-{causal}", report(q, k, v, causal, layout)


def scores():
    q, v = torch.ones(1, 1, 40, 32), random(1, 1, 150, 32)
    slope, noise = torch.linspace(-2, 2, 150)[:, None], random(1, 1, 150, 32, seed=1)
    yield "rising", report(q, 0.1 * noise + slope, v, False)
    yield "falling", report(q, 0.1 * noise - slope, v, False)
    yield "peaked", report(20 * random(1, 1, 40, 32, seed=2), noise, v, True)
    yield "far-below-0", report(q, 0.1 * noise - 30, v, False)
    few = flash_attention_triton(random(1, 1, 5, 32), random(1, 1, 2, 32), 1 + random(1, 1, 2, 32), True)
    yield "nothing-seen", {"zeros": [bool((row == 0).all()) for row in few[0, 0]]}
    none = flash_attention_triton(random(1, 2, 3, 32), random(1, 2, 0, 32), random(1, 2, 0, 32))
    yield "no-keys", {"shape": list(none.shape), "zero": bool((none == 0).all())}
    yield "no-queries", {"shape": list(flash_attention_triton(random(1, 2, 0, 32), random(1, 2, 3, 32), random(1, 2, 3, 32)).shape)}


def unmasked():
    """The reference with a mask taken out, of one load or of the store."""
    text = inspect.getsource(triton_flash)
    q, k, v = (random(1, 2, 50, 32, seed=seed) for seed in range(3))
    for name, mask in (("load", ", mask=is_key[:, None], other=0.0"), ("store", "tl.store(place, output.to(out_ptr.dtype.element_ty), mask=is_query)")):
        assert text.count(mask) == 1
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / f"without_{name}.py"
            path.write_text(text.replace(mask, mask.replace(", mask=is_query", "") if name == "store" else ""), encoding="utf-8")
            spec = importlib.util.spec_from_file_location(path.stem, path)
            module = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(module)
            yield name, report(q, k, v, False, function=module.flash_attention_triton)


def errors():
    x = random(1, 2, 5, 32)
    cases = {
        "d_head": (x, random(1, 2, 5, 64), random(1, 2, 5, 64)), "values": (x, x, random(1, 2, 6, 32)),
        "heads": (x, random(1, 3, 5, 32), random(1, 3, 5, 32)), "size": (x[..., :1].expand(1, 2, 5, 48),) * 3,
        "dimensions": (x[0], x, x), "dtype": (x.double(),) * 3, "mixed": (x, x.half(), x),
    }
    for name, tensors in cases.items():
        try:
            flash_attention_triton(*tensors)
            yield name, {"kind": "none", "message": ""}
        except (ValueError, TypeError) as error:
            yield name, {"kind": type(error).__name__, "message": str(error)}


TRAINING = [("float32", False, 70, 45, 32), ("float32", True, 40, 90, 32), ("float32", True, 90, 40, 64), ("float16", True, 130, 130, 64),
            ("float16", False, 70, 33, 128), ("float32", False, 1, 1, 32)]  # L, S, Dh


def training(device="cpu", sizes=TRAINING):
    """The gradients of the kernels of flash_attention_trained beside those of float64, and what the inputs' dtype costs by the formula."""
    for dtype, causal, n_queries, n_keys, d_head in sizes:
        given = [random(1, 2, n, d_head, seed=seed, dtype=getattr(torch, dtype), device=device) for seed, n in enumerate((n_queries, n_keys, n_keys, n_queries))]
        given[0], given[3] = (x.transpose(1, 2).contiguous().transpose(1, 2) for x in (given[0], given[3]))  # laid out otherwise than k and v
        found, exact, low = (gradients(function, given, causal, wide) for function, wide in (
            (triton_flash_backward.flash_attention_trained, False), (by_formula, True), (by_formula, False)))
        yield f"{dtype}-{causal}-{n_queries}-{n_keys}-{d_head}", {
            name: {"error": float((a - b).abs().max()), "low": float((c - b).abs().max()), "size": float(b.abs().max()), "same": a.dtype == x.dtype and a.shape == x.shape}
            for name, a, b, c, x in zip(("output", "q", "k", "v"), found, exact, low, (given[0], *given[:3]), strict=True)}


def gradients(function, given, causal, wide):
    """The output, and the gradients of q, k and v, in float64 where `wide`."""
    q, k, v, d_output = (x.detach().clone().double() if wide else x.detach().clone() for x in given)
    q, k, v = (x.requires_grad_() for x in (q, k, v))
    output = function(q, k, v, causal)
    output.backward(d_output)
    return output.detach(), q.grad, k.grad, v.grad


class AbsentGPU:
    """A driver that says which GPU to compile for, and can do nothing else."""

    def __init__(self, capability):
        self.capability = capability

    def get_current_target(self):
        from triton.backends.compiler import GPUTarget

        return GPUTarget("cuda", self.capability, 32)

    def get_current_device(self):
        return 0

    def get_current_stream(self, device=None):
        return 0


def compile_for(capability):
    try:
        from triton import knobs
        from triton.runtime import driver

        knobs.nvidia.ptxas.path
    except Exception as error:
        yield "skip", f"this Triton cannot compile for NVIDIA GPUs: {error}"
        return
    driver.set_active(AbsentGPU(capability))
    for dtype in (torch.float32, torch.float16, torch.bfloat16):
        for d_head in (32, 64, 128):
            x = torch.empty(1, 2, 300, d_head, dtype=dtype)
            yield f"{str(dtype)[6:]}-{d_head}", compiled(x)
            yield f"training-{str(dtype)[6:]}-{d_head}", kernels.compiled(capability, train, x)


def train(x):
    """Launch all kernels of training, causal."""
    output, logsumexp = triton_flash_backward.forward(x, x, x, True)
    triton_flash_backward.backward(x, x, x, output, logsumexp, x, True)


def compiled(x):
    """What the kernel takes of the chip, per thread (registers, bytes of stack) and per program (bytes of shared memory)."""
    block_q, block_k = triton_flash.tile_sizes(x.shape[-1], x.dtype)
    made = triton_flash.flash_kernel.warmup(
        x, x, x, x, *x.stride(), *x.stride(), *x.stride(), *x.stride(), 2, 300, 300, 0.1, IS_CAUSAL=True,
        D_HEAD=x.shape[-1], BLOCK_Q=block_q, BLOCK_K=block_k, num_warps=triton_flash.warps(x.dtype), grid=(1,),
    )
    products = sorted({line.split()[0] for line in re.findall(r"(?:wg)?mma\S*\.m\d+n\d+k\d+\S*.*", made.asm["ptx"])})
    return {"shared": made.metadata.shared, "products": " ".join(products), **resources(made.asm["cubin"])}


def resources(cubin):
    """Registers and stack of a thread, by cuobjdump, which comes with Triton; None where it does not."""
    from triton import knobs

    with tempfile.NamedTemporaryFile(suffix=".cubin") as file:
        file.write(cubin)
        file.flush()
        try:
            text = subprocess.run([knobs.nvidia.cuobjdump.path, "-res-usage", file.name], capture_output=True, text=True, check=True).stdout
        except Exception:
            return {"registers": None, "stack": None}
    return {name.lower(): int(number) for name, number in zip(("registers", "stack"), re.search(r"REG:(\d+) STACK:(\d+)", text).groups(), strict=True)}


def cuda():
    for dtype in (torch.float32, torch.float16, torch.bfloat16):
        for causal in (False, True):
            for d_head in (32, 64, 128):
                q, k, v = (random(2, 3, n, d_head, seed=seed, dtype=dtype, device="cuda") for seed, n in enumerate((200, 333, 333)))
                yield f"{str(dtype)[6:]}-{causal}-{d_head}", report(q, k, v, causal)


def training_cuda():
    sizes = [(dtype, causal, 200, 333, d_head) for dtype in ("float32", "float16", "bfloat16") for causal in (False, True) for d_head in (32, 64, 128)]
    yield from training("cuda", sizes)


if __name__ == "__main__":
    torch.set_num_threads(1)
    torch.backends.cuda.matmul.allow_tf32 = False
    kind = sys.argv[1]
    found = compile_for(int(kind[8:])) if kind.startswith("compile-") else globals()[kind.replace("-", "_")]()
    print(json.dumps(dict(found)))
