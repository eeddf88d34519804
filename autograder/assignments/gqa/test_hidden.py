"""Hidden tests of gqa. A test's docstring is the sentence that a student reads beside its result.

Where a test of the module is not about the scale it takes d_head = 1 or queries of nought, where it is not about the groups it takes one
group or as many as heads, where it is not about splitting a single token or d_head = 1, and where it is not about which layer does what,
layers that are alike: a faulty solution then loses the points of its fault and no others.
"""

import torch

from autograder.hidden import catches, cuda, expect_unchanged, fails, points
from autograder.hidden.judge import expect_array
from autograder.hidden.pytorch import FLOATS, ON_GPU, compare, compare_gradients, compare_module_gradients, compare_modules, compare_parameters
from autograder.hidden.pytorch import in_dtype, mask_shapes, modules, tensor


@points(1.25, part="repeat_kv")
@catches("repeat-interleaved", "repeat-first-head", "repeat-features-reshaped", "repeat-expanded")
def test_repeat_order(student, reference, draw):
    """The copies of a head stand beside each other, so that consecutive query heads share one."""
    for _ in range(2):
        batch, n_kv_heads, n_repeats, n_tokens, d_head = draw.different_sizes(5, 2, 8)
        x = tensor(draw.normal((batch, n_kv_heads, n_tokens, d_head)))
        compare(student.repeat_kv, reference.repeat_kv, x, n_repeats)
        compare(student.repeat_kv, reference.repeat_kv, x.transpose(1, 2).contiguous().transpose(1, 2), n_repeats)


@points(0.75, part="repeat_kv")
@catches("repeat-tokens", "repeat-batch", "repeat-five-dimensions", "repeat-as-total", "repeat-without-dim")
def test_repeat_shape(student, reference, draw):
    """Every head is there n_repeats times, one head as well as many; tokens and features are as many as before."""
    batch, n_repeats, n_tokens, d_head = draw.different_sizes(4, 2, 8)
    x = tensor(draw.normal((batch, 1, n_tokens, d_head)))
    for times in (1, n_repeats):
        compare(student.repeat_kv, reference.repeat_kv, x, times)
    compare(student.repeat_kv, reference.repeat_kv, tensor(draw.normal((1, n_repeats, 1, 1))), 1)


@points(0.5, part="repeat_kv")
@catches("repeat-detached", "repeat-always-float32")
def test_repeat_carries(student, reference, draw):
    """The dtype stays, gradients of all copies add up in the head that they are copies of, and the tensor that is handed in stays as it was."""
    batch, n_repeats, n_tokens = draw.different_sizes(3, 2, 6)
    x = tensor(draw.normal((batch, 1, n_tokens, 2)))
    expect_unchanged(student.repeat_kv.outcome(x, n_repeats), x)
    for dtype in FLOATS:
        compare(student.repeat_kv, reference.repeat_kv, x.to(dtype), n_repeats)
    compare_gradients(student.repeat_kv, reference.repeat_kv, tensor(draw.normal((batch, n_repeats, n_tokens, 2))), x, n_repeats)


@points(0.5, part="repeat_kv")
@catches("repeat-zero-times")
def test_repeat_errors(student, reference, draw):
    """A number of repeats below 1 raises ValueError, which names it."""
    x = tensor(draw.normal((2, 1, 3, 2)))
    student.repeat_kv(x, 2)  # where all fits, nothing is raised
    for wrong in (0, -draw.size(1, 5)):
        with fails("ValueError", wrong):
            student.repeat_kv(x, wrong)


@points(0.75, part="GroupedQueryAttention")
@catches("gqa-full-width-kv", "gqa-width-of-group-size", "gqa-one-kv-head", "gqa-always-bias", "gqa-no-output-bias", "gqa-one-layer-for-both")
def test_gqa_parameters(student, reference, draw):
    """w_q and w_o have d_model rows, w_k and w_v n_kv_heads · d_head; with bias=True each layer has a bias, and otherwise none."""
    n_kv_heads, group, d_head = draw.different_sizes(3, 2, 6)
    n_heads = n_kv_heads * group
    for arguments in ((n_heads * d_head, n_heads, n_kv_heads), (n_heads, n_heads, 1, True), (n_heads, n_heads, n_heads, False)):
        compare_parameters(student.GroupedQueryAttention(*arguments), reference.GroupedQueryAttention(*arguments), draw, "GroupedQueryAttention")


@points(1.25, part="GroupedQueryAttention")
@catches(
    "gqa-interleaved-groups", "gqa-values-interleaved", "gqa-keys-interleaved", "gqa-first-head-for-all", "gqa-mean-of-heads", "gqa-not-repeated",
    "gqa-repeated-too-often",
)
def test_gqa_groups(student, reference, draw):
    """Query head h is answered by the key/value head of its group, h // (n_heads / n_kv_heads): the first query heads share the first one."""
    for _ in range(2):
        batch, n_kv_heads, group = draw.different_sizes(3, 2, 6)
        n_heads = n_kv_heads * group
        theirs, ours = modules(student.GroupedQueryAttention, reference.GroupedQueryAttention, draw, n_heads, n_heads, n_kv_heads, alike=True)
        compare_modules(theirs, ours, 2 * tensor(draw.normal((batch, draw.size(2, 7), n_heads))))


@points(0.75, part="GroupedQueryAttention")
@catches("gqa-no-output-layer", "gqa-keys-as-values", "gqa-queries-as-keys", "gqa-adds-input")
def test_gqa_values(student, reference, draw):
    """Project, split, attend, merge, and mix with w_o."""
    batch, n_tokens, n_heads = draw.different_sizes(3, 2, 8)
    for n_kv_heads in (1, n_heads):
        theirs, ours = modules(student.GroupedQueryAttention, reference.GroupedQueryAttention, draw, n_heads, n_heads, n_kv_heads)
        for shape in ((1, 1, n_heads), (batch, n_tokens, n_heads)):
            compare_modules(theirs, ours, 2 * tensor(draw.normal(shape)))


@points(0.5, part="GroupedQueryAttention")
@catches("gqa-split-reshape", "gqa-merge-reshape", "gqa-kv-split-into-all-heads")
def test_gqa_heads(student, reference, draw):
    """Each head has its own d_head features of every token, in their order, when they are split and when they are merged."""
    batch, n_tokens, n_heads, d_head = draw.different_sizes(4, 2, 7)
    for n_kv_heads in (1, n_heads):
        theirs, ours = modules(student.GroupedQueryAttention, reference.GroupedQueryAttention, draw, n_heads * d_head, n_heads, n_kv_heads, alike=True)
        compare_modules(theirs, ours, tensor(draw.normal((batch, n_tokens, n_heads * d_head))))


@points(0.25, part="GroupedQueryAttention")
@catches("gqa-no-scale", "gqa-scale-by-d-model")
def test_gqa_scale(student, reference, draw):
    """The scores are divided by √d_head, once."""
    n_heads, d_head = draw.size(2, 5), draw.size(4, 9)
    theirs, ours = modules(student.GroupedQueryAttention, reference.GroupedQueryAttention, draw, n_heads * d_head, n_heads, n_heads, alike=True)
    compare_modules(theirs, ours, 2 * tensor(draw.normal((2, draw.size(3, 7), n_heads * d_head))))


@points(0.5, part="GroupedQueryAttention")
@catches("gqa-mask-ignored", "gqa-mask-inverted", "gqa-always-causal", "gqa-mask-unsqueezed", "gqa-mask-of-first-head")
def test_gqa_mask(student, reference, draw):
    """A mask may have any shape that broadcasts to (B, H, T, T), H the number of query heads; without one every token sees all."""
    batch, n_tokens, n_heads = draw.different_sizes(3, 2, 8)
    for n_kv_heads in (1, n_heads):
        theirs, ours = modules(student.GroupedQueryAttention, reference.GroupedQueryAttention, draw, n_heads, n_heads, n_kv_heads, alike=True, even=True)
        x = 2 * tensor(draw.normal((batch, n_tokens, n_heads)))
        compare_modules(theirs, ours, x)
        for shape in mask_shapes(batch, n_heads, n_tokens):
            compare_modules(theirs, ours, x, torch.from_numpy(draw.mask(shape)))


@points(0.25, part="GroupedQueryAttention")
@catches("gqa-bias-unused", "gqa-empty-row-mean", "gqa-empty-row-nan")
def test_gqa_bias(student, reference, draw):
    """With biases all four layers use theirs, and a token that may see nothing gets w_o's bias alone."""
    batch, n_tokens, n_heads = draw.different_sizes(3, 2, 8)
    theirs, ours = modules(student.GroupedQueryAttention, reference.GroupedQueryAttention, draw, n_heads, n_heads, n_heads, True)
    x = tensor(draw.normal((batch, n_tokens, n_heads)))
    compare_modules(theirs, ours, x)
    mask = torch.from_numpy(draw.mask((batch, 1, 1, n_tokens)))
    mask[draw.index(batch)] = False
    compare_modules(theirs, ours, x, mask)


@points(0.25, part="GroupedQueryAttention")
@catches("gqa-kv-detached", "gqa-first-of-group-trains")
def test_gqa_gradients(student, reference, draw):
    """Gradients of all query heads reach the input and all weights, and stay finite where a token may see nothing."""
    n_tokens, n_heads = draw.different_sizes(2, 2, 7)
    for n_kv_heads in (1, n_heads):
        theirs, ours = modules(student.GroupedQueryAttention, reference.GroupedQueryAttention, draw, n_heads, n_heads, n_kv_heads, True)
        x, cotangent = (tensor(draw.normal((2, n_tokens, n_heads))) for _ in range(2))
        compare_module_gradients(theirs, ours, cotangent, x)
        mask = torch.from_numpy(draw.mask((2, 1, n_tokens, n_tokens)))
        mask[0, 0, draw.index(n_tokens)] = False
        compare_module_gradients(theirs, ours, cotangent, x, mask)


@points(0.25, part="GroupedQueryAttention")
@catches("gqa-always-float32", "gqa-remembers")
def test_gqa_again(student, reference, draw):
    """The same input gives the same output, other lengths and dtypes work too, and the tensors that are handed in stay as they were."""
    short, long, n_heads = sorted(draw.different_sizes(3, 2, 9))
    theirs, ours = modules(student.GroupedQueryAttention, reference.GroupedQueryAttention, draw, n_heads, n_heads, n_heads, alike=True, even=True)
    x, mask = tensor(draw.normal((2, long, n_heads))), torch.from_numpy(draw.mask((long, long)))
    expect_unchanged(theirs.outcome(x, mask), x, mask)
    for n_tokens in (long, short, long + 1):
        compare_modules(theirs, ours, tensor(draw.normal((1, n_tokens, n_heads))))
    for dtype in (torch.float64, torch.bfloat16):
        compare_modules(theirs.to(dtype), ours.to(dtype), x.to(dtype))


@points(0.25, part="GroupedQueryAttention")
@catches("gqa-uneven-groups")
def test_gqa_errors(student, reference, draw):
    """A width that cannot be shared out among the heads, or heads among the groups, raises ValueError with the two numbers when the module is
    made."""
    n_kv_heads, group, d_head = draw.size(2, 5), draw.size(2, 5), draw.size(2, 5)
    n_heads = n_kv_heads * group
    student.GroupedQueryAttention(n_heads * d_head, n_heads, n_kv_heads)  # where all fits, nothing is raised
    for d_model, heads, kv_heads, numbers in (
        (n_heads * d_head + 1, n_heads, n_kv_heads, (n_heads * d_head + 1, n_heads)),
        ((n_heads + 1) * d_head, n_heads + 1, n_kv_heads, (n_heads + 1, n_kv_heads)),
        (n_heads * d_head, n_heads, 2 * n_heads, (n_heads, 2 * n_heads)),
        (n_heads * d_head, n_heads, 0, (n_heads, 0)),
    ):
        with fails("ValueError", *numbers):
            student.GroupedQueryAttention(d_model, heads, kv_heads)


@points(0.5, part="pool_kv_heads")
@catches("pool-every-other-head", "pool-groups-swapped", "pool-mean-over-groups", "pool-mean-over-rows")
def test_pool_groups(student, reference, draw):
    """A new head is made from the heads of one group, and these stand beside each other."""
    for _ in range(2):
        n_kv_heads, group, d_model = draw.different_sizes(3, 2, 8)
        compare(student.pool_kv_heads, reference.pool_kv_heads, tensor(draw.normal((n_kv_heads * group, d_model))), n_kv_heads * group, n_kv_heads)


@points(0.25, part="pool_kv_heads")
@catches("pool-sum", "pool-first-head", "pool-divides-by-all-heads")
def test_pool_mean(student, reference, draw):
    """A new head is the mean of its group: heads that are alike stay what they are, a group of one stays as it is."""
    n_kv_heads, group, d_model = draw.different_sizes(3, 2, 8)
    alike = tensor(draw.normal((1, d_model))).expand(n_kv_heads * group, d_model).contiguous()
    compare(student.pool_kv_heads, reference.pool_kv_heads, alike, n_kv_heads * group, n_kv_heads)
    weight = tensor(draw.normal((group, d_model)))
    for n_new in (1, group):
        compare(student.pool_kv_heads, reference.pool_kv_heads, weight, group, n_new)


@points(0.5, part="pool_kv_heads")
@catches("pool-neighbouring-rows", "pool-three-dimensions")
def test_pool_rows(student, reference, draw):
    """Row i of a new head is the mean of the old heads' rows i, each head being d_head rows in a row."""
    for _ in range(2):
        n_heads, d_head, d_model = draw.different_sizes(3, 2, 8)
        weight = tensor(draw.normal((n_heads * d_head, d_model)))
        compare(student.pool_kv_heads, reference.pool_kv_heads, weight, n_heads, 1)
        compare(student.pool_kv_heads, reference.pool_kv_heads, weight.T.contiguous().T, n_heads, 1)


@points(0.25, part="pool_kv_heads")
@catches("pool-always-float32", "pool-in-half")
def test_pool_dtype(student, reference, draw):
    """The result has the weight's dtype, and half precision is added up in float32."""
    n_heads, d_model = draw.different_sizes(2, 3, 9)
    weight = tensor(draw.normal((n_heads, d_model)))
    for dtype in FLOATS:
        compare(student.pool_kv_heads, reference.pool_kv_heads, weight.to(dtype), n_heads, 1)
    compare(student.pool_kv_heads, reference.pool_kv_heads, (40_000 + 1000 * weight.abs()).half(), n_heads, 1)
    compare(student.pool_kv_heads, reference.pool_kv_heads, (1 + 0.1 * tensor(draw.normal((1000, 2)))).bfloat16(), 1000, 1)


@points(0.25, part="pool_kv_heads")
@catches("pool-changes-weight")
def test_pool_input(student, reference, draw):
    """The weight that is handed in stays as it was: the multi-head model may still be needed."""
    n_heads, d_model = draw.different_sizes(2, 3, 9)
    weight = tensor(draw.normal((n_heads, d_model)))
    outcome = student.pool_kv_heads.outcome(weight, n_heads, 1)
    expect_unchanged(outcome, weight)
    expect_array(outcome.value, (1, d_model), "torch.float32", "output", "PyTorch tensor")


@points(0.25, part="pool_kv_heads")
@catches("pool-drops-rows")
def test_pool_errors(student, reference, draw):
    """Rows that cannot be shared out among the heads, or heads among the groups, raise ValueError with the two numbers."""
    n_kv_heads, group, d_head = draw.size(2, 5), draw.size(2, 5), draw.size(2, 5)
    n_heads = n_kv_heads * group
    student.pool_kv_heads(tensor(draw.normal((2, 3))), 2, 1)  # where all fits, nothing is raised
    for rows, heads, kv_heads, numbers in (
        (n_heads * d_head + 1, n_heads, n_kv_heads, (n_heads * d_head + 1, n_heads)),
        ((n_heads + 1) * d_head, n_heads + 1, n_kv_heads, (n_heads + 1, n_kv_heads)),
        (n_heads * d_head, n_heads, 2 * n_heads, (n_heads, 2 * n_heads)),
        (n_heads * d_head, n_heads, 0, (n_heads, 0)),
    ):
        with fails("ValueError", *numbers):
            student.pool_kv_heads(tensor(draw.normal((rows, 3))), heads, kv_heads)


# on a GPU


@points(0.0, part="GroupedQueryAttention")
@cuda
def test_gqa_cuda(gpu, reference, draw):
    """On a GPU the numbers are right in float32, float16 and bfloat16, and all of the work is done there."""
    n_kv_heads, n_repeats, n_tokens = draw.size(2, 4), draw.size(2, 4), draw.size(40, 90)
    n_heads = n_kv_heads * n_repeats
    theirs, ours = modules(gpu.GroupedQueryAttention, reference.GroupedQueryAttention, draw, 8 * n_heads, n_heads, n_kv_heads)
    for dtype in ON_GPU:
        compare_modules(*in_dtype(theirs, ours, dtype), tensor(draw.normal((2, n_tokens, 8 * n_heads))).to(dtype), torch.from_numpy(draw.mask((n_tokens, n_tokens))))
        compare(gpu.repeat_kv, reference.repeat_kv, tensor(draw.normal((2, n_tokens, n_kv_heads, 32))).transpose(1, 2).to(dtype), n_repeats)
        compare(gpu.pool_kv_heads, reference.pool_kv_heads, tensor(draw.normal((8 * n_heads, 64))).to(dtype), n_heads, n_kv_heads)


@points(0.0, part="GroupedQueryAttention")
@cuda
def test_gqa_gradients_cuda(gpu, reference, draw):
    """On a GPU the gradients are right, and all of the work is done there."""
    n_kv_heads, n_repeats, n_tokens = draw.size(2, 4), draw.size(2, 4), draw.size(40, 90)
    n_heads = n_kv_heads * n_repeats
    theirs, ours = modules(gpu.GroupedQueryAttention, reference.GroupedQueryAttention, draw, 8 * n_heads, n_heads, n_kv_heads)
    x, cotangent = (tensor(draw.normal((2, n_tokens, 8 * n_heads))) for _ in range(2))
    compare_module_gradients(theirs, ours, cotangent, x)
