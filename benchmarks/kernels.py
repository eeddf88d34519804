"""The Triton kernels beside PyTorch's own attention and a plain matrix product, on a GPU: python -m benchmarks.kernels [options]

For each length, head size and causal or not: forward and backward in TFLOP/s, and as a share of what a matrix product of 8,192² reaches on the same card in
the same run. Each call finds a cold L2 cache and is timed between two events on the device; the median of many is told. The results have been compared with
the float32 formula before. --sweep tries many tiles, and tells the fastest, for solutions/triton_flash_backward.py. --dry goes through everything once
without a GPU, in Triton's interpreter, on tiny shapes: its times mean nothing, and nothing is kept.

Operations are counted as the FlashAttention papers do: 4·B·H·L·S·Dh forward, half of it causal, and 2.5 times that backward, though the weights
are computed twice in there.
"""

import argparse
import itertools
import math
import os
import statistics
import sys
import time

NO_GPU = """benchmarks.kernels needs a CUDA GPU and finds none: {reason}.
On a machine with one, with PyTorch's build for CUDA: .venv/bin/python -m benchmarks.kernels
Without one, .venv/bin/python -m benchmarks.kernels --dry goes through it in Triton's interpreter, on tiny shapes."""
LENGTHS = tuple(1024 << i for i in range(6))  # 1k to 32k
TOKENS = 32_768  # of a batch: shorter sequences are more of them
WIDTH = 2048  # heads times their size
MATRIX = 8192
WARM_UP, CALLS = 3, 20
OTHERS = {"flash": "FLASH_ATTENTION", "efficient": "EFFICIENT_ATTENTION", "cudnn": "CUDNN_ATTENTION", "math": "MATH"}
OURS = "ours"
TOLERANCE = {"float16": 2e-2, "bfloat16": 6e-2, "float32": 1e-4}  # of the largest number; beyond it a time is worth nothing


def main(arguments=None):
    options = parsed(arguments)
    if options.dry:
        os.environ["TRITON_INTERPRET"] = "1"
    else:
        os.environ.pop("TRITON_INTERPRET", None)  # Triton looks at it when it is imported, which comes later
    import torch

    reason = "" if options.dry else missing(torch)
    if reason:
        raise SystemExit(NO_GPU.format(reason=reason))
    torch.backends.cuda.matmul.allow_tf32 = False
    machine = Dry() if options.dry else Gpu()
    figures = sweep(machine, options) if options.sweep else measure(machine, options)
    if options.dry:
        return figures
    from benchmarks.common import keep

    keep("kernels-sweep" if options.sweep else "kernels", machine.described() | figures)
    return figures


def parsed(arguments):
    """The command line's options."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.kernels", description="Attention kernels in TFLOP/s, beside PyTorch's own.")
    parser.add_argument("--dry", action="store_true", help="without a GPU, in Triton's interpreter, on tiny shapes; nothing is kept")
    parser.add_argument("--sweep", action="store_true", help="try many tiles, and tell the fastest of them")
    parser.add_argument("--lengths", type=int, nargs="+", metavar="T", help="default: 1,024 to 32,768")
    parser.add_argument("--heads", type=int, nargs="+", metavar="DH", help="sizes of a head; default: 64 128")
    parser.add_argument("--dtype", choices=("bfloat16", "float16", "float32"), default="bfloat16")
    parser.add_argument("--no-backward", action="store_true")
    parser.add_argument("--forward-tiles", type=int, nargs=4, metavar=("BLOCK_Q", "BLOCK_K", "WARPS", "STAGES"))
    parser.add_argument("--key-tiles", type=int, nargs=4, metavar=("BLOCK_Q", "BLOCK_K", "WARPS", "STAGES"), help="of the kernel for dk and dv")
    parser.add_argument("--query-tiles", type=int, nargs=4, metavar=("BLOCK_Q", "BLOCK_K", "WARPS", "STAGES"), help="of the kernel for dq")
    options = parser.parse_args(arguments)
    options.lengths = options.lengths or ([32] if options.dry else list(LENGTHS))
    options.heads = options.heads or ([32] if options.dry else [64, 128])
    if options.dry and options.dtype == "bfloat16":
        options.dtype = "float16"  # the interpreter multiplies no bfloat16
    return options


def missing(torch):
    """Why no GPU can be used; empty where one can."""
    if torch.version.cuda is None:
        return f"this PyTorch ({torch.__version__}) is the build for the CPU"
    if not torch.cuda.is_available():
        return "the driver shows no device to PyTorch (see nvidia-smi)"
    if torch.cuda.get_device_capability() < (8, 0):
        return "it is of a compute capability under 8.0"
    return ""


class Gpu:
    """Times calls on the device."""

    device = "cuda"

    def __init__(self):
        import torch

        properties = torch.cuda.get_device_properties(0)
        self.cold = torch.empty(4 * max(properties.L2_cache_size, 64 << 20) // 4, dtype=torch.int32, device="cuda")  # four times the cache

    def described(self):
        """The card, and what drives it."""
        import torch
        import triton

        return {"GPU": torch.cuda.get_device_name(), "compute capability": ".".join(map(str, torch.cuda.get_device_capability())),
                "PyTorch": torch.__version__, "CUDA": torch.version.cuda, "Triton": triton.__version__}

    def seconds(self, call, calls=CALLS):
        """The median time of a call, with a cold cache each; the clocks have warmed up."""
        import torch

        for _ in range(WARM_UP):
            call()
        times = []
        for _ in range(calls):
            self.cold.zero_()
            begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
            begin.record()
            call()
            end.record()
            torch.cuda.synchronize()
            times.append(begin.elapsed_time(end) / 1e3)
        return statistics.median(times)


class Dry:
    """Goes through the same without a GPU."""

    device = "cpu"

    def seconds(self, call, calls=1):
        begun = time.perf_counter()
        call()
        return time.perf_counter() - begun


def measure(machine, options):
    """All figures: the matrix product, and for each shape each way's forward and backward."""
    import torch

    dtype = getattr(torch, options.dtype)
    n = 64 if options.dry else MATRIX
    a, b = (torch.randn(n, n, device=machine.device, dtype=dtype) for _ in range(2))
    product = 2 * n**3 / machine.seconds(lambda: a @ b) / 1e12
    rows = []
    for d_head, causal, length in itertools.product(options.heads, (False, True), options.lengths):
        rows += of_shape(machine, options, dtype, length, d_head, causal, product)
    return {"dtype": options.dtype, "matrix product, TFLOP/s": round(product, 4), "tiles": tiles_of(options), "figures": rows}


def tiles_of(options):
    """The tiles that were asked for."""
    return {"forward": options.forward_tiles, "keys": options.key_tiles, "queries": options.query_tiles}


def of_shape(machine, options, dtype, length, d_head, causal, product):
    """The figures of one shape, a dictionary for each way that can take it."""
    q, k, v, d_output = inputs(machine, options, dtype, length, d_head)
    operations = 4 * q.shape[0] * q.shape[1] * length**2 * d_head / (2 if causal else 1)
    rows = []
    for name, function in ways(options, d_head, dtype).items():
        row = {"way": name, "T": length, "Dh": d_head, "causal": causal, "batch": q.shape[0], "heads": q.shape[1]}
        try:
            row |= timed(machine, function, q, k, v, d_output, causal, operations, product, backward=not options.no_backward)
        except Exception as error:  # a way that cannot take the shape, or has not the memory for it
            row["problem"] = f"{type(error).__name__}: {(str(error).splitlines() or [''])[0][:160]}"
            if machine.device == "cuda":
                import torch

                torch.cuda.empty_cache()
        rows.append(row)
        print(row, file=sys.stderr)
    return rows


def inputs(machine, options, dtype, length, d_head):
    """q, k, v and the gradient of the output."""
    import torch

    batch, n_heads = (1, 1) if options.dry else (max(1, TOKENS // length), WIDTH // d_head)
    generator = torch.Generator(device=machine.device).manual_seed(0)
    q, k, v, d_output = (torch.randn(batch, n_heads, length, d_head, device=machine.device, dtype=dtype, generator=generator) for _ in range(4))
    return q.requires_grad_(), k.requires_grad_(), v.requires_grad_(), d_output


def configuration(options, d_head, dtype):
    """The default tiles, with those that were asked for in their places."""
    from solutions.triton_flash_backward import Configuration, Tiles, default_configuration

    asked = (options.forward_tiles, options.key_tiles, options.query_tiles)
    return Configuration(*(Tiles(*one) if one else default for one, default in zip(asked, default_configuration(d_head, dtype), strict=True)))


def ways(options, d_head, dtype):
    """{name: function of q, k, v and causal}: our kernels, and PyTorch's one by one."""
    import torch
    from torch.nn.attention import SDPBackend, sdpa_kernel

    from solutions.triton_flash_backward import flash_attention_trained

    ours = configuration(options, d_head, dtype)

    def of_pytorch(backend):
        def attention(q, k, v, causal):
            with sdpa_kernel(getattr(SDPBackend, backend)):
                return torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=causal)

        return attention

    return {OURS: lambda q, k, v, causal: flash_attention_trained(q, k, v, causal, ours), **{name: of_pytorch(backend) for name, backend in OTHERS.items()}}


def timed(machine, function, q, k, v, d_output, causal, operations, product, backward=True):
    """Forward and backward of one way: milliseconds, TFLOP/s, share of the matrix product. Raises ValueError where its result is wrong."""
    import torch

    def forward():
        with torch.no_grad():
            return function(q, k, v, causal)

    check(forward(), q, k, v, causal)
    row = figures("forward", machine.seconds(forward), operations, product)
    if not backward:
        return row
    output = function(q, k, v, causal)

    def backward_pass():
        return torch.autograd.grad(output, (q, k, v), d_output, retain_graph=True)

    check_gradients(backward_pass(), q, k, v, d_output, causal)
    return row | figures("backward", machine.seconds(backward_pass), 2.5 * operations, product)


def figures(name, seconds, operations, product):
    """One time in the units that are told."""
    speed = operations / seconds / 1e12
    return {f"{name}, ms": round(1e3 * seconds, 4), f"{name}, TFLOP/s": round(speed, 4), f"{name}, share of the matrix product": round(speed / product, 4)}


def formula(q, k, v, causal):
    """The last 64 queries of one head, in float32 with all their scores."""
    import torch

    rows = min(64, q.shape[2])
    q, k, v = q[:1, :1, -rows:].float(), k[:1, :1].float(), v[:1, :1].float()
    scores = q @ k.mT / math.sqrt(q.shape[-1])
    if causal:
        n = k.shape[2]
        scores = scores.masked_fill(torch.ones(rows, n, dtype=torch.bool, device=q.device).tril(n - rows).logical_not(), -math.inf)
    return torch.softmax(scores, -1) @ v


def check(output, q, k, v, causal):
    """Raise ValueError where some of the output is not what the formula gives."""
    import torch

    with torch.no_grad():
        right = formula(q, k, v, causal)
        compare(output[:1, :1, -right.shape[2]:], right, "output", str(q.dtype))


def check_gradients(found, q, k, v, d_output, causal):
    """Raise ValueError where some of q's gradient, which is the queries' own, is not what the formula gives."""
    import torch

    rows = min(64, q.shape[2])
    last = q.detach()[:1, :1, -rows:].float().requires_grad_()
    with torch.enable_grad():
        (right,) = torch.autograd.grad(formula(last, k.detach(), v.detach(), causal), last, d_output[:1, :1, -rows:].float())
    compare(found[0][:1, :1, -rows:], right, "gradient of q", str(q.dtype))


def compare(found, right, name, dtype):
    worst = float((found.float() - right).abs().max()) / max(float(right.abs().max()), 1e-6)
    if not worst <= TOLERANCE[dtype.removeprefix("torch.")]:
        raise ValueError(f"the {name} is wrong by {worst:.1e} of its largest number")


def sweep(machine, options):
    """For each head size, causal or not: the fastest tiles of each kernel, at one length."""
    import torch

    from solutions.triton_flash_backward import Configuration, Tiles, backward, default_configuration, forward

    dtype, length = getattr(torch, options.dtype), options.lengths[-1] if options.dry else min(8192, max(options.lengths))
    blocks = ((16, 32), (16, 32), (4,), (1,)) if options.dry else ((32, 64, 128, 256), (32, 64, 128), (4, 8), (1, 2, 3, 4))
    candidates = [Tiles(*one) for one in itertools.product(*blocks)]
    rows = []
    for d_head, causal in itertools.product(options.heads, (False, True)):
        q, k, v, d_output = (x.detach() for x in inputs(machine, options, dtype, length, d_head))
        default = default_configuration(d_head, dtype)
        output, logsumexp = forward(q, k, v, causal)
        calls = {"forward": lambda tiles: forward(q, k, v, causal, tiles)} if options.no_backward else {
            "forward": lambda tiles: forward(q, k, v, causal, tiles),
            "keys": lambda tiles: backward(q, k, v, output, logsumexp, d_output, causal, Configuration(default.forward, tiles, default.queries)),
            "queries": lambda tiles: backward(q, k, v, output, logsumexp, d_output, causal, Configuration(default.forward, default.keys, tiles)),
        }
        for kernel, call in calls.items():
            times = {}
            for tiles in candidates:
                try:
                    times[tiles] = machine.seconds(lambda: call(tiles), 5)
                except Exception:  # tiles that do not fit on the chip are no candidates
                    continue
            fastest = sorted(times, key=times.get)[:5]
            rows.append({"kernel": kernel, "T": length, "Dh": d_head, "causal": causal, "tried": len(candidates), "ran": len(times),
                         "fastest: block_q, block_k, warps, stages, ms": [[*tiles, round(1e3 * times[tiles], 4)] for tiles in fastest],
                         "default": list(getattr(default, kernel))})
            print(rows[-1], file=sys.stderr)
    return {"dtype": options.dtype, "sweep": rows}


if __name__ == "__main__":
    main()
