"""Hidden tests of mqa. A test's docstring is the sentence that a student reads beside its result.

Where a test is not about the scale it takes d_head = 1 or queries of nought, where it is not about splitting a single token or d_head = 1,
where it is not about the batch one sequence, and where it is not about which layer does what, layers that are alike; of a step's result only
test_step_values asks where the axes stand: a faulty solution then loses the points of its fault and no others. The tests of memory differ in
the batch: with one sequence a broadcast product copies nothing, with two it does.
"""

import math

import numpy as np
import torch

from autograder.hidden import catches, cuda, expect_unchanged, fails, memory, points
from autograder.hidden.judge import expect_array, expect_number, no_whole_number
from autograder.hidden.pytorch import FLOATS, ON_GPU, compare, compare_module_gradients, compare_modules, compare_parameters, in_dtype, mask_shapes
from autograder.hidden.pytorch import modules, tensor

ENOUGH = 384 << 20  # bytes; a copy of K for each of 128 heads takes 512 MiB, K itself 4


@points(0.75, part="MultiQueryAttention")
@catches("mqa-full-width-kv", "mqa-single-query", "mqa-always-bias", "mqa-no-output-bias", "mqa-one-layer-for-both")
def test_mqa_parameters(student, reference, draw):
    """w_q and w_o have d_model rows, w_k and w_v d_head; with bias=True each layer has a bias, and otherwise none."""
    n_heads, d_head = draw.different_sizes(2, 2, 8)
    for arguments in ((n_heads * d_head, n_heads), (n_heads, n_heads, True), (n_heads, n_heads, False)):
        compare_parameters(student.MultiQueryAttention(*arguments), reference.MultiQueryAttention(*arguments), draw, "MultiQueryAttention")


@points(0.75, part="MultiQueryAttention")
@catches(
    "mqa-no-output-layer", "mqa-keys-as-values", "mqa-adds-input", "mqa-one-question", "mqa-without-head-axis", "mqa-head-axis-behind-tokens", "mqa-without-merge",
)
def test_mqa_values(student, reference, draw):
    """Every query head asks by itself, all are answered by the same keys and values, and w_o mixes what they get."""
    batch, n_tokens, n_heads = draw.different_sizes(3, 2, 8)
    theirs, ours = modules(student.MultiQueryAttention, reference.MultiQueryAttention, draw, n_heads, n_heads)
    for shape in ((1, 1, n_heads), (1, n_tokens, n_heads), (batch, n_tokens, n_heads)):
        compare_modules(theirs, ours, 2 * tensor(draw.normal(shape)))


@points(0.5, part="MultiQueryAttention")
@catches("mqa-split-reshape", "mqa-merge-reshape", "mqa-kv-split")
def test_mqa_heads(student, reference, draw):
    """Each query head has its own d_head features of every token, in their order, when they are split and when they are merged."""
    n_tokens, n_heads, d_head = draw.different_sizes(3, 2, 7)
    theirs, ours = modules(student.MultiQueryAttention, reference.MultiQueryAttention, draw, n_heads * d_head, n_heads, alike=True)
    compare_modules(theirs, ours, tensor(draw.normal((1, n_tokens, n_heads * d_head))))


@points(0.25, part="MultiQueryAttention")
@catches("mqa-no-scale", "mqa-scale-by-d-model")
def test_mqa_scale(student, reference, draw):
    """The scores are divided by √d_head, once."""
    n_heads, d_head = draw.size(2, 5), draw.size(4, 9)
    theirs, ours = modules(student.MultiQueryAttention, reference.MultiQueryAttention, draw, n_heads * d_head, n_heads, alike=True)
    compare_modules(theirs, ours, 2 * tensor(draw.normal((1, draw.size(3, 7), n_heads * d_head))))


@points(0.5, part="MultiQueryAttention")
@catches("mqa-mask-ignored", "mqa-mask-inverted", "mqa-always-causal", "mqa-mask-unsqueezed", "mqa-mask-of-first-head")
def test_mqa_mask(student, reference, draw):
    """A mask may have any shape that broadcasts to (B, H, T, T), also one that differs from head to head; without one every token sees all."""
    batch, n_tokens, n_heads = draw.different_sizes(3, 2, 8)
    theirs, ours = modules(student.MultiQueryAttention, reference.MultiQueryAttention, draw, n_heads, n_heads, alike=True, even=True)
    x = 2 * tensor(draw.normal((batch, n_tokens, n_heads)))
    compare_modules(theirs, ours, x)
    for shape in mask_shapes(batch, n_heads, n_tokens):
        compare_modules(theirs, ours, x, torch.from_numpy(draw.mask(shape)))


@points(0.25, part="MultiQueryAttention")
@catches("mqa-bias-unused", "mqa-empty-row-mean", "mqa-empty-row-nan")
def test_mqa_bias(student, reference, draw):
    """With biases all four layers use theirs, and a token that may see nothing gets w_o's bias alone."""
    n_tokens, n_heads = draw.different_sizes(2, 2, 8)
    theirs, ours = modules(student.MultiQueryAttention, reference.MultiQueryAttention, draw, n_heads, n_heads, True)
    x = tensor(draw.normal((1, n_tokens, n_heads)))
    compare_modules(theirs, ours, x)
    mask = torch.from_numpy(draw.mask((n_tokens, n_tokens)))
    mask[draw.index(n_tokens)] = False
    compare_modules(theirs, ours, x, mask)


@points(0.25, part="MultiQueryAttention")
@catches("mqa-kv-detached", "mqa-first-head-trains")
def test_mqa_gradients(student, reference, draw):
    """Gradients of all query heads reach the input and all weights, and stay finite where a token may see nothing."""
    n_tokens, n_heads = draw.different_sizes(2, 2, 7)
    theirs, ours = modules(student.MultiQueryAttention, reference.MultiQueryAttention, draw, n_heads, n_heads, True)
    x, cotangent = (tensor(draw.normal((1, n_tokens, n_heads))) for _ in range(2))
    compare_module_gradients(theirs, ours, cotangent, x)
    mask = torch.from_numpy(draw.mask((1, 1, n_tokens, n_tokens)))
    mask[0, 0, draw.index(n_tokens)] = False
    compare_module_gradients(theirs, ours, cotangent, x, mask)


@points(0.25, part="MultiQueryAttention")
@catches("mqa-always-float32", "mqa-remembers")
def test_mqa_again(student, reference, draw):
    """The same input gives the same output, other lengths and dtypes work too, and the tensors that are handed in stay as they were."""
    short, long, n_heads = sorted(draw.different_sizes(3, 2, 9))
    theirs, ours = modules(student.MultiQueryAttention, reference.MultiQueryAttention, draw, n_heads, n_heads, alike=True, even=True)
    x, mask = tensor(draw.normal((1, long, n_heads))), torch.from_numpy(draw.mask((long, long)))
    expect_unchanged(theirs.outcome(x, mask), x, mask)
    for n_tokens in (long, short, long + 1):
        compare_modules(theirs, ours, tensor(draw.normal((1, n_tokens, n_heads))))
    for dtype in (torch.float64, torch.bfloat16):
        compare_modules(theirs.to(dtype), ours.to(dtype), x.to(dtype))


@points(0.5, part="MultiQueryAttention")
@catches("mqa-uneven-heads")
def test_mqa_errors(student, reference, draw):
    """A width that cannot be shared out among the heads, and no heads at all, raise ValueError with the two numbers when the module is made."""
    n_heads, d_head = draw.size(3, 8), draw.size(2, 5)
    student.MultiQueryAttention(n_heads * d_head, n_heads)  # where all fits, nothing is raised
    with fails("ValueError", n_heads * d_head + 1, n_heads):
        student.MultiQueryAttention(n_heads * d_head + 1, n_heads)
    with fails("ValueError", n_heads * d_head, 0):
        student.MultiQueryAttention(n_heads * d_head, 0)


@points(0.75, part="attention_parameters")
@catches("parameters-multi-head", "parameters-one-of-both", "parameters-no-output", "parameters-kv-squared", "parameters-head-by-head",
         "parameters-always-bias", "parameters-nothing-without-bias", "parameters-width-of-group")
def test_parameters_weights(student, reference, draw):
    """Without biases: w_q and w_o of d_model rows and columns, w_k and w_v of n_kv_heads · d_head rows."""
    for _ in range(2):
        n_kv_heads, group, d_head = draw.different_sizes(3, 5, 10)  # none of them twice another: two mistakes would give one number
        n_heads = n_kv_heads * group
        for kv_heads in (n_kv_heads, 1, n_heads):
            same_number(student, reference, n_heads * d_head, n_heads, kv_heads)
            same_number(student, reference, n_heads * d_head, n_heads, kv_heads, False)


@points(0.5, part="attention_parameters")
@catches("parameters-bias-ignored", "parameters-bias-multi-head", "parameters-bias-of-output-only", "parameters-two-biases")
def test_parameters_biases(student, reference, draw):
    """With biases one more number for each row of each of the four layers."""
    for _ in range(2):
        n_kv_heads, group, d_head = draw.different_sizes(3, 5, 10)  # none of them twice another: two mistakes would give one number
        n_heads = n_kv_heads * group
        for kv_heads in (n_kv_heads, 1, n_heads):
            same_number(student, reference, n_heads * d_head, n_heads, kv_heads, True)


@points(0.25, part="attention_parameters")
@catches("parameters-not-whole")
def test_parameters_whole(student, reference, draw):
    """The result is a whole number, an int."""
    n_heads = draw.size(2, 9)
    for bias in (False, True):
        got = student.attention_parameters(n_heads, n_heads, n_heads, bias)
        if not isinstance(got, (int, np.integer)):
            raise no_whole_number(got, "attention_parameters")
    if got == student.attention_parameters(2 * n_heads, n_heads, n_heads, True):  # a number that does not depend on the width counts nothing
        same_number(student, reference, n_heads, n_heads, n_heads, True)


@points(0.5, part="attention_parameters")
@catches("parameters-rounded-down")
def test_parameters_errors(student, reference, draw):
    """Heads that cannot be shared out raise ValueError with the two numbers."""
    n_kv_heads, group, d_head = draw.size(2, 5), draw.size(2, 5), draw.size(2, 5)
    n_heads = n_kv_heads * group
    student.attention_parameters(n_heads, n_heads, n_heads)  # where all fits, nothing is raised
    for d_model, heads, kv_heads, numbers in (
        (n_heads * d_head + 1, n_heads, n_kv_heads, (n_heads * d_head + 1, n_heads)),
        ((n_heads + 1) * d_head, n_heads + 1, n_kv_heads, (n_heads + 1, n_kv_heads)),
        (n_heads * d_head, n_heads, 2 * n_heads, (n_heads, 2 * n_heads)),
        (n_heads * d_head, n_heads, 0, (n_heads, 0)),
        (n_heads * d_head, 0, 1, (n_heads * d_head, 0)),
    ):
        with fails("ValueError", *numbers):
            student.attention_parameters(d_model, heads, kv_heads)


@points(0.5, part="decode_step")
@catches(
    "step-keys-as-values", "step-no-softmax", "step-first-key-only", "step-without-newest", "step-without-token-axis", "step-heads-as-tokens", "step-heads-masked",
    "step-squeezed",
)
def test_step_values(student, reference, draw):
    """The new token's queries see all keys, the newest one included, and are handed values of any width."""
    n_heads, n_keys, d_value = draw.different_sizes(3, 3, 9)  # of two keys the one that is not the newest is the first
    for shape in ((1, n_heads, n_keys, 1, 1), (1, n_heads, n_keys, 1, d_value), (1, 1, 1, 1, d_value)):
        compare(student.decode_step, reference.decode_step, *drawn_step(draw, *shape))


@points(0.25, part="decode_step")
@catches("step-no-scale", "step-scale-by-d", "step-scale-by-d-model", "step-scale-by-length")
def test_step_scale(student, reference, draw):
    """The scores are divided by √d_head."""
    for _ in range(2):
        n_heads, n_keys, d_head, d_value = draw.different_sizes(4, 5, 20)  # none the root of another
        q, keys, values = drawn_step(draw, 1, n_heads, n_keys, d_head, d_value)
        compare_step(student, reference, 2 * q, keys, values)


@points(0.25, part="decode_step")
@catches("step-softmax-over-heads", "step-first-question", "step-first-sequence", "step-heads-of-batch", "step-batch-among-heads")
def test_step_heads(student, reference, draw):
    """Each head of each sequence has weights of its own, which sum to one over the keys of that sequence."""
    batch, n_heads, n_keys, d_value = draw.different_sizes(4, 2, 9)
    compare_step(student, reference, *drawn_step(draw, batch, n_heads, n_keys, 1, d_value))
    arguments = drawn_step(draw, batch, n_heads, n_keys, 1, d_value)
    compare_step(student, reference, *(x.transpose(0, -1).contiguous().transpose(0, -1) for x in arguments))


@points(1.0, part="decode_step")
@catches("step-repeats-kv")
@memory(ENOUGH)
def test_step_memory(student, reference, draw):
    """One sequence: keys and values are not repeated for each head."""
    compare_step(student, reference, *large_drawn_step(draw, 1, 16_384))


@points(1.25, part="decode_step")
@catches("step-broadcast-product")
@memory(ENOUGH)
def test_step_memory_of_a_batch(student, reference, draw):
    """Two sequences: the product of queries and keys does not copy the keys for each head, and neither does the one with the values."""
    compare_step(student, reference, *large_drawn_step(draw, 2, 8_192))


@points(0.25, part="decode_step")
@catches("step-always-float32", "step-in-half")
def test_step_dtype(student, reference, draw):
    """The result has the queries' dtype, and half precision is multiplied and added in float32."""
    arguments = drawn_step(draw, 1, 3, 5, 1, 4)
    for dtype in FLOATS:
        compare_step(student, reference, *(x.to(dtype) for x in arguments))
    q, keys, values = drawn_step(draw, 1, 3, 5, 16, 4)
    compare_step(student, reference, (300 * q.sign()).half(), (300 * keys.sign()).half(), values.half())
    q, keys, values = drawn_step(draw, 1, 3, 3000, 1, 2)
    compare_step(student, reference, 0.01 * q.bfloat16(), 0.01 * keys.bfloat16(), (1 + 0.1 * values).bfloat16())


@points(0.25, part="decode_step")
@catches("step-changes-cache")
def test_step_inputs(student, reference, draw):
    """The cache is not changed: the next token needs it as it was."""
    q, keys, values = drawn_step(draw, 2, *draw.different_sizes(4, 2, 9))
    outcome = student.decode_step.outcome(q, keys, values)
    expect_unchanged(outcome, q, keys, values)
    expect_array(shaped(outcome.value, q, values), shape_of_step(q, values), "torch.float32", "output", "PyTorch tensor")


@points(0.25, part="decode_step")
@catches("step-unchecked", "step-torch-errors")
def test_step_errors(student, reference, draw):
    """More than one token or key/value head, and sizes that disagree, raise ValueError with the two numbers."""
    n_heads, n_keys, d_head, other = draw.different_sizes(4, 4, 10)
    student.decode_step(*drawn_step(draw, 1, n_heads, n_keys, 1, other))  # where all fits, nothing is raised
    q, keys, values = drawn_step(draw, 2, n_heads, n_keys, d_head, d_head)
    many = tensor(draw.normal((2, other, n_keys, d_head)))
    for arguments, numbers in (
        ((tensor(draw.normal((2, n_heads, other, d_head))), keys, values), (1, other)),
        ((q, many, many), (1, other)),
        ((q, keys, many), (1, other)),
        ((q, keys[..., :-1].contiguous(), values), (d_head, d_head - 1)),
        ((q, keys, values[:, :, :-1].contiguous()), (n_keys, n_keys - 1)),
        ((q, torch.cat([keys, keys[:1]]), torch.cat([values, values[:1]])), (2, 3)),
    ):
        with fails("ValueError", *numbers):
            student.decode_step(*arguments)


def compare_step(student, reference, *arguments):
    """Judge the numbers of a step; where the axes of size 1 stand is for test_step_values to say."""
    compare(lambda q, keys, values: shaped(student.decode_step(q, keys, values), q, values), reference.decode_step, *arguments)


def shaped(got, q, values):
    """A step's result in its right shape, where it has as many numbers; another one as it is."""
    shape = shape_of_step(q, values)
    return got.reshape(shape) if isinstance(got, torch.Tensor) and got.numel() == math.prod(shape) else got


def shape_of_step(q, values):
    """(B, H, 1, Dv)."""
    return *q.shape[:3], values.shape[-1]


def drawn_step(draw, batch, n_heads, n_keys, d_head, d_value):
    """The queries of one token, and the keys and values of all, as a step takes them."""
    shapes = (batch, n_heads, 1, d_head), (batch, 1, n_keys, d_head), (batch, 1, n_keys, d_value)
    return [tensor(draw.normal(shape)) for shape in shapes]


def large_drawn_step(draw, batch, n_keys):
    """A step of 128 heads whose keys and values take 4 MiB each. All keys of a sequence are alike, so that the scale does not matter."""
    q, keys, values = drawn_step(draw, batch, 128, 1, 64, 1)
    return q, keys.expand(batch, 1, n_keys, 64).contiguous(), tensor(draw.normal((batch, 1, n_keys, 64)))


def same_number(student, reference, *arguments):
    """Judge a number of parameters; a float may pass here, and there is a test for that."""
    got, want = student.attention_parameters(*arguments), reference.attention_parameters(*arguments)
    if not isinstance(got, (int, float, np.number)):
        raise no_whole_number(got, "attention_parameters")
    expect_number(got, want, "attention_parameters")


# on a GPU


@points(0.0, part="MultiQueryAttention")
@cuda
def test_mqa_cuda(gpu, reference, draw):
    """On a GPU the numbers are right in float32, float16 and bfloat16, and all of the work is done there."""
    n_heads, n_tokens = draw.size(2, 5), draw.size(40, 90)
    theirs, ours = modules(gpu.MultiQueryAttention, reference.MultiQueryAttention, draw, 16 * n_heads, n_heads)
    for dtype in ON_GPU:
        compare_modules(*in_dtype(theirs, ours, dtype), tensor(draw.normal((2, n_tokens, 16 * n_heads))).to(dtype), torch.from_numpy(draw.mask((n_tokens, n_tokens))))


@points(0.0, part="MultiQueryAttention")
@cuda
def test_mqa_gradients_cuda(gpu, reference, draw):
    """On a GPU the gradients are right, and all of the work is done there."""
    n_heads, n_tokens = draw.size(2, 5), draw.size(40, 90)
    theirs, ours = modules(gpu.MultiQueryAttention, reference.MultiQueryAttention, draw, 16 * n_heads, n_heads)
    x, cotangent = (tensor(draw.normal((2, n_tokens, 16 * n_heads))) for _ in range(2))
    compare_module_gradients(theirs, ours, cotangent, x)


@points(0.0, part="decode_step")
@cuda
def test_step_cuda(gpu, reference, draw):
    """On a GPU the numbers are right in float32, float16 and bfloat16, and all of the work is done there."""
    n_heads, n_keys, d_value = draw.size(5, 9), draw.size(200, 400), draw.size(40, 90)
    for dtype in ON_GPU:
        compare(gpu.decode_step, reference.decode_step, *(x.to(dtype) for x in drawn_step(draw, 2, n_heads, n_keys, 32, d_value)))
