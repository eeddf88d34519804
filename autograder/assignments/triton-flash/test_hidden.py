"""Hidden tests of triton-flash. A test's docstring is the sentence that a student reads beside its result.

All but the last run in Triton's interpreter, where every access is checked: a stray load gives NaN, a stray store is left out. Tests that are not about
lengths take lengths that every usual tile divides. Where a test is not about scores its queries are 0, so that every key that is seen counts alike,
whatever the scale is.
"""

import functools
import math

import torch

from autograder.hidden import Wrong, catches, compiled, cuda, expect, expect_unchanged, fails, points
from autograder.hidden.gpu import compare_speed, memory_of
from autograder.hidden.judge import NotHere
from autograder.hidden.pytorch import tensor
from autograder.messages import message

SHARED_MEMORY = {80: 163 << 10, 90: 227 << 10}  # bytes that a program may have (CUDA C++ Programming Guide, compute capabilities)
DTYPES = (torch.float32, torch.float16)
WHOLE = 128  # the usual tiles divide it
LONG = 1 << 18  # tokens: all scores of one head take 128 GiB in 16 bits
MOST_A_TOKEN = 8 * 64 * 4  # bytes: eight numbers of 32 bits for each of 64 features, inputs and output included


# attend_tile


@points(0.75, part="attend_tile")
@catches("tile-no-rescale", "tile-rescales-sum-only", "tile-rescales-values-only")
def test_rising(student, draw):
    """When a larger score comes, what was summed before it shrinks, numerator and denominator alike."""
    n_keys = 3 * WHOLE
    q, k, v = tensors(draw, (1, 1, 16, 32), (1, 1, n_keys, 32), (1, 1, n_keys, 32))
    slope = torch.linspace(-2, 2, n_keys)[:, None]
    for rise in (0.0, 1.0, -1.0):
        check(student, torch.ones_like(q), 0.1 * k + rise * slope, v)
    needles = 0.1 * k
    needles[:, :, draw.index(16) :: 48] *= 30
    check(student, q, needles, v)


@points(0.5, part="attend_tile")
@catches("tile-no-scale", "tile-powers-of-two", "kernel-scale-by-d-head")
def test_scale(student, draw):
    """The scores are divided by √d_head, and they are exponents of e."""
    for d_head in (32, 64):
        check(student, *tensors(draw, (1, 1, 32, d_head), (1, 1, WHOLE, d_head), (1, 1, WHOLE, d_head)))


@points(0.25, part="attend_tile")
@catches("tile-no-maximum")
def test_large_scores(student, draw):
    """Scores may be large, and of either sign: nothing overflows, and nothing vanishes."""
    q, k, v = tensors(draw, (1, 1, 32, 32), (1, 1, WHOLE, 32), (1, 1, WHOLE, 32))
    for offset in (40, -40):
        check(student, torch.ones_like(q), 0.1 * k + offset, v, magnitude=32.0)


@points(0.5, part="attend_tile")
@catches("tile-sums-in-float16")
def test_float16_sums(student, draw):
    """Scores and sums are kept in float32 where the inputs are float16."""
    n_keys = 8 * WHOLE
    q, k, v = tensors(draw, (1, 1, 16, 32), (1, 1, n_keys, 32), (1, 1, n_keys, 32))
    v[:, :, : n_keys // 2] += 200
    v[:, :, n_keys // 2 :] -= 200  # the sum goes beyond what float16 can hold, and comes back
    check(student, *(x.half() for x in (0 * q, k, v)))
    q, k, v = tensors(draw, (1, 1, 16, 32), (1, 1, WHOLE, 32), (1, 1, WHOLE, 32))
    check(student, *(x.half() for x in (60 * q.sign(), 60 * k.sign(), v)))


# flash_attention_triton


@points(0.5, part="flash_attention_triton")
@catches("kernel-one-head", "kernel-one-sequence", "kernel-rows-of-first-block")
def test_heads(student, draw):
    """Each head of each sequence has its own queries, keys and values, and every block of queries its own place."""
    shape = (2, 3, WHOLE, 32)
    check(student, *tensors(draw, shape, shape, shape), magnitude=8.0)
    n_queries = 3 * WHOLE
    check(student, *tensors(draw, (1, 1, n_queries, 32), (1, 1, 32, 32), (1, 1, 32, 32)))


@points(0.5, part="flash_attention_triton")
@catches("kernel-drops-queries", "kernel-drops-keys", "kernel-zeros-count")
def test_lengths(student, draw):
    """Lengths need not be multiples of a tile: every query gets a result, and every key counts once."""
    for n_queries, n_keys in ((1, 1), (draw.size(130, 150), 64), (16, draw.size(100, 120)), (16, draw.size(130, 150))):
        q, k, v = tensors(draw, (1, 1, n_queries, 32), (1, 1, n_keys, 32), (1, 1, n_keys, 32))
        check(student, 0 * q, k, v + 1)


@points(0.5, part="flash_attention_triton")
@catches("kernel-loads-unmasked", "kernel-loads-keys-unmasked")
def test_stray_loads(student, draw):
    """The kernel reads nothing but the tensors that it is given."""
    for n_queries, n_keys in ((WHOLE, draw.size(70, 90)), (draw.size(70, 90), WHOLE), (draw.size(5, 16), draw.size(130, 150))):
        q, k, v = tensors(draw, (1, 1, n_queries, 32), (1, 1, n_keys, 32), (1, 1, n_keys, 32))
        for causal in (False, True):
            found = student.flash_attention_triton.kernels("strays", q, k, v, causal).value
            if asked(found, "loads"):
                raise Wrong(message("With {n_queries} queries and {n_keys} keys a kernel reads memory outside its tensors.", n_queries=n_queries, n_keys=n_keys))


@points(0.25, part="flash_attention_triton")
@catches("kernel-stores-unmasked", "kernel-scales-q-in-place")
def test_stray_stores(student, draw):
    """The kernel writes to nothing but its output: not beyond it, and not to q, k or v."""
    n_queries, n_keys = draw.size(70, 90), draw.size(5, 16)
    q, k, v = tensors(draw, (1, 2, n_queries, 32), (1, 2, n_keys, 32), (1, 2, n_keys, 32))
    outcome = student.flash_attention_triton.kernels("output", q, k, v, False)
    expect_unchanged(outcome, q, k, v)
    found = student.flash_attention_triton.kernels("strays", q, k, v, False).value
    if asked(found, "stores"):
        raise Wrong(message("With {n_queries} queries and {n_keys} keys a kernel writes to memory outside its tensors.", n_queries=n_queries, n_keys=n_keys))


@points(0.5, part="flash_attention_triton")
@catches("kernel-causal-ignored", "kernel-causal-strict", "kernel-causal-in-tile", "kernel-causal-ends-early")
def test_causal(student, draw):
    """A causal query sees its own key and those before it."""
    shape = (1, 1, 2 * WHOLE, 32)
    q, k, v = tensors(draw, shape, shape, shape)
    check(student, 0 * q, k, v, True)


@points(0.25, part="flash_attention_triton")
@catches("kernel-causal-top-left")
def test_causal_rectangle(student, draw):
    """With more keys than queries, the queries are the last tokens."""
    for n_queries, n_keys in ((WHOLE, 2 * WHOLE), (draw.size(5, 12), draw.size(40, 60)), (1, WHOLE)):
        q, k, v = tensors(draw, (1, 1, n_queries, 32), (1, 1, n_keys, 32), (1, 1, n_keys, 32))
        check(student, 0 * q, k, v, True)


@points(0.25, part="flash_attention_triton")
@catches("kernel-empty-nan", "kernel-empty-unwritten")
def test_empty(student, draw):
    """A query that sees no key gets zeros."""
    q, k, v = tensors(draw, (1, 1, 2 * WHOLE, 32), (1, 1, 32, 32), (1, 1, 32, 32))
    check(student, 0 * q, k, v, True)
    check(student, q[:, :, :5], k[:, :, :2], v[:, :, :2], True)


@points(0.25, part="flash_attention_triton")
@catches("kernel-half-the-width")
def test_widths(student, draw):
    """Heads are 32, 64 or 128 numbers wide."""
    for d_head, dtype in ((32, torch.float32), (64, torch.float32), (128, torch.float32), (64, torch.float16), (128, torch.float16)):
        check(student, *(x.to(dtype) for x in tensors(draw, (1, 1, 32, d_head), (1, 1, 64, d_head), (1, 1, 64, d_head))))


@points(0.25, part="flash_attention_triton")
@catches("kernel-assumes-contiguous", "kernel-strides-of-q")
def test_layouts(student, draw):
    """Tensors need not be contiguous, and each has strides of its own."""
    q, k, v = tensors(draw, (1, 32, 2, 32), (1, WHOLE, 2, 32), (1, 2, 32, WHOLE))
    check(student, q.transpose(1, 2), k.transpose(1, 2), v.mT)
    wide = tensors(draw, (1, 2, 32, 32), (1, 2, WHOLE, 32), (1, 2, WHOLE, 32))
    check(student, *wide)


@points(0.25, part="flash_attention_triton")
@catches("kernel-output-float32")
def test_dtype(student, draw):
    """The output has the queries' dtype."""
    for dtype in DTYPES:
        check(student, *(x.to(dtype) for x in tensors(draw, (1, 1, 32, 32), (1, 1, WHOLE, 32), (1, 1, WHOLE, 32))))


@points(0.25, part="flash_attention_triton")
@catches("tile-tf32")
def test_tf32(student, draw):
    """float32 is multiplied as float32, and not rounded to TF32."""
    q, k, v = tensors(draw, (1, 1, 32, 32), (1, 1, WHOLE, 32), (1, 1, WHOLE, 32))
    if student.flash_attention_triton.kernels("tf32", q, k, v).value is not False:
        raise Wrong(message("A product of float32 tiles is rounded to TF32."))
    check(student, 0 * q, k, v)


@points(0.5, part="flash_attention_triton")
@catches("torch-outside", "torch-inside", "softmax-outside")
def test_work(student, draw):
    """All products and the softmax are computed in Triton kernels, and no kernel calls PyTorch."""
    batch, n_heads, n_queries, n_keys, d_head = 1, 2, 48, WHOLE, 32
    q, k, v = tensors(draw, (batch, n_heads, n_queries, d_head), *[(batch, n_heads, n_keys, d_head)] * 2)
    scores = batch * n_heads * n_queries * n_keys
    found = student.flash_attention_triton.kernels("work", q, k, v, products=scores * d_head, powers=0).value
    if asked(found, "inside"):
        raise Wrong(message("A kernel calls PyTorch. The interpreter lets it pass, and no GPU can do it."))
    check(student, 0 * q, k, v, wrong=Wrong)
    found = student.flash_attention_triton.kernels("work", q, k, v, products=2 * scores * d_head, powers=scores).value
    if not asked(found, "products") or not asked(found, "powers"):
        raise Wrong(message("The kernels have computed fewer products or exponentials than attention to all keys takes."))


@points(0.25, part="flash_attention_triton")
@catches("errors-unchecked")
def test_errors(student, draw):
    """Shapes that disagree raise ValueError with the two numbers, other head sizes too; other dtypes raise TypeError."""
    n, other = draw.different_sizes(2, 3, 12)
    (x,) = tensors(draw, (1, 2, n, 32))
    check(student, 0 * x, x, x)  # where all fits, nothing is raised
    more, wide, odd = tensors(draw, (1, 2, other, 32), (1, 2, n, 64), (1, 2, n, 48))
    call = functools.partial(student.flash_attention_triton.kernels, "output")  # under observation: what a kernel does with sizes it does not expect
    with fails("ValueError", n, other):
        call(x, x, more)
    with fails("ValueError", 32, 64):
        call(x, wide, wide)
    with fails("ValueError", 48):
        call(odd, odd, odd)
    with fails("ValueError", 1, 2):
        call(x[:, :1], x, x)
    with fails("TypeError"):
        call(x.double(), x.double(), x.double())
    with fails("TypeError"):
        call(x, x.half(), x)


@compiled
@points(0.25, part="flash_attention_triton")
def test_compiles_for_8_0(student, draw):
    """The kernel compiles for GPUs of compute capability 8.0, such as the A100, and fits on the chip."""
    compiles(student, draw, 80)


@compiled
@points(0.25, part="flash_attention_triton")
def test_compiles_for_9_0(student, draw):
    """The kernel compiles for GPUs of compute capability 9.0, such as the H100, and fits on the chip."""
    compiles(student, draw, 90)


# On a GPU


@points(0.5, part="flash_attention_triton")
@cuda
def test_cuda_float32(gpu, draw):
    """On a GPU float32 gives what float32 can, at every width of a head."""
    on_gpu(gpu, draw, torch.float32)


@points(0.5, part="flash_attention_triton")
@cuda
def test_cuda_float16(gpu, draw):
    """On a GPU float16 gives what float16 can, at every width of a head."""
    on_gpu(gpu, draw, torch.float16)


@points(0.5, part="flash_attention_triton")
@cuda
def test_cuda_bfloat16(gpu, draw):
    """On a GPU bfloat16 gives what bfloat16 can, at every width of a head."""
    on_gpu(gpu, draw, torch.bfloat16)


@points(0.5, part="flash_attention_triton")
@cuda
def test_cuda_lengths(gpu, draw):
    """On a GPU lengths need not be multiples of a tile, and tensors need not be contiguous; a query that sees nothing gets zeros."""
    expect_kernels(gpu, draw)
    for n_queries, n_keys in ((1, 1), (1, draw.size(130, 150)), (draw.size(130, 150), draw.size(5, 12)), (draw.size(40, 60), draw.size(130, 150))):
        for causal in (False, True):
            q, k, v = tensors(draw, (2, n_queries, 2, 64), (2, n_keys, 2, 64), (2, 2, 64, n_keys))
            arguments = [x.half() for x in (q.transpose(1, 2), k.transpose(1, 2), v.mT)]
            judge(gpu.flash_attention_triton(*arguments, causal), *arguments, causal)


@points(0.5, part="flash_attention_triton")
@cuda
def test_cuda_work(gpu, draw):
    """On a GPU kernels of Triton's are started, and PyTorch computes no product and no softmax."""
    expect_kernels(gpu, draw)


@points(0.5, part="flash_attention_triton")
@cuda
def test_cuda_memory(gpu, draw):
    """On a GPU memory grows with the length alone: a sequence of which all scores would not fit passes."""
    expect_kernels(gpu, draw)
    taken = {}
    for n in (LONG // 2, LONG):
        q, k, v = (tensor(draw.normal((1, 1, n, 64))).bfloat16() for _ in range(3))
        gpu.flash_attention_triton(q[:, :, :64], k[:, :, :64], v[:, :, :64], True)  # what is loaded and kept at first use is not meant
        value, taken[n] = memory_of(gpu.flash_attention_triton, q, k, v, True)
        if not isinstance(value, torch.Tensor) or value.shape != q.shape:
            raise Wrong(message("{name} should have shape {expected}, and it has {got}.", name="output", expected=str(tuple(q.shape)),
                                got=str(tuple(getattr(value, "shape", ())))))
        rows = slice(n - 8, n)  # the last queries see all keys but a few; of the others their keys would have to be sent as well
        judge(value[:, :, rows], q[:, :, rows], k, v, True)
        judge(value[:, :, :64], q[:, :, :64], k[:, :, :64], v[:, :, :64], True)
    if taken[LONG] > MOST_A_TOKEN * LONG:
        raise Wrong(message("{n} tokens have taken {taken} MiB, where {most} are ample: memory should grow with the length, not with its square.",
                            n=f"{LONG:,}", taken=f"{taken[LONG] >> 20:,}", most=f"{MOST_A_TOKEN * LONG >> 20:,}"))


@points(0.0, part="flash_attention_triton")
@cuda
def test_cuda_speed(gpu, draw):
    """On a GPU it is timed beside PyTorch's own attention. This costs and brings no points."""
    for shape, causal in (((4, 16, 2048, 64), False), ((4, 16, 2048, 64), True), ((2, 16, 4096, 128), True)):
        q, k, v = (tensor(draw.normal(shape)).bfloat16() for _ in range(3))
        value, _ = compare_speed(gpu.flash_attention_triton, q, k, v, causal)
        one = (slice(0, 1), slice(0, 1))
        judge(value[one], q[one], k[one], v[one], causal)


# What the tests have in common


def tensors(draw, *shapes):
    """A float32 tensor of drawn numbers for each shape."""
    return [tensor(draw.normal(shape)) for shape in shapes]


def check(student, q, k, v, is_causal=False, magnitude=1.0, wrong=NotHere):
    """Judge an output by the formula in float64, within what it costs in the inputs' dtype. It counts where kernels have computed it.

    wrong: what to raise where they have not, which is what test_work is there for.
    """
    found = student.flash_attention_triton.kernels("by kernels", q, k, v, is_causal).value
    got, how = found if isinstance(found, (tuple, list)) and len(found) == 2 else (found, {})
    by_kernels(how, wrong)
    expect(got, formula(q.double(), k.double(), v.double(), is_causal), low=formula(q, k, v, is_causal), magnitude=magnitude)


def by_kernels(how, wrong=Wrong):
    """Raise `wrong` unless kernels were started, and nothing but they has computed products and the softmax."""
    if not asked(how, "launched"):
        raise wrong(message("No kernel has been started."))
    if asked(how, "outside"):
        raise wrong(message("A product or a softmax is computed outside the kernels, by PyTorch or NumPy."))


def expect_kernels(gpu, draw):
    """Raise Wrong unless a call on a GPU is done by kernels."""
    x = tensors(draw, (1, 2, 100, 64))[0].half()
    by_kernels(gpu.flash_attention_triton.kernels("launched", x, x, x, True).value)


def on_gpu(gpu, draw, dtype):
    """Judge outputs on a GPU in one dtype."""
    expect_kernels(gpu, draw)
    for d_head in (32, 64, 128):
        for causal in (False, True):
            q, k, v = (x.to(dtype) for x in tensors(draw, (2, 2, 160, d_head), (2, 2, 200, d_head), (2, 2, 200, d_head)))
            judge(gpu.flash_attention_triton(q, k, v, causal), q, k, v, causal)


def judge(got, q, k, v, is_causal):
    """Judge an output by the formula in float64, within twice what it costs in the inputs' dtype on the CPU."""
    expect(got, formula(q.double(), k.double(), v.double(), is_causal), low=formula(q, k, v, is_causal))


def formula(q, k, v, is_causal):
    """Attention with all scores in memory, in the inputs' dtype; zeros where nothing is seen."""
    n_queries, n_keys = q.shape[2], k.shape[2]
    mask = torch.ones(n_queries, n_keys, dtype=torch.bool)
    if is_causal:
        mask = mask.tril(n_keys - n_queries)
    scores = (q @ k.mT / math.sqrt(q.shape[-1])).masked_fill(~mask, -math.inf)
    return torch.softmax(scores, -1).nan_to_num(0.0) @ v


def asked(found, name):
    """An answer of the observed kernels: True or False, whatever came."""
    return isinstance(found, dict) and found.get(name) is True


def compiles(student, draw, capability):
    """Raise Wrong unless kernels compile for GPUs of this capability and find room there."""
    for dtype, d_head in ((torch.float16, 64), (torch.bfloat16, 128), (torch.float32, 128)):
        x = tensor(draw.normal((1, 2, 40, d_head))).to(dtype)
        found = student.flash_attention_triton.kernels("compiled", x, x, x, True, capability=capability).value
        if not isinstance(found, list) or not found or not all(isinstance(kernel, dict) and type(kernel.get("shared")) is int for kernel in found):
            raise Wrong(message("No kernel has been started."))
        for kernel in found[:10]:
            what = {"d_head": d_head, "dtype": str(dtype).removeprefix("torch."), "shared": f"{kernel['shared']:,}", "most": f"{SHARED_MEMORY[capability]:,}"}
            if kernel["shared"] > SHARED_MEMORY[capability]:
                raise Wrong(message("A program takes {shared} bytes of shared memory for d_head {d_head} in {dtype}, and there are {most}: "
                                    "take smaller tiles or fewer stages.", **what))
            registers, spilled = (kernel.get(name) if type(kernel.get(name)) is int else "?" for name in ("registers", "stack"))
            student._backend.remarks.append(message(
                "d_head {d_head} in {dtype}: {registers} registers and {spilled} bytes of spilled registers a thread, {shared} of {most} bytes of shared memory.",
                registers=registers, spilled=spilled, **what))
