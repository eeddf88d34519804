"""Hidden tests of multi-head. A test's docstring is the sentence that a student reads beside its result.

Where a test is not about the scale it takes d_head = 1: √1 is 1, so that a solution without the scale loses the scale's points and no others.
For the same reason a test of splitting or merging that is not about which number goes where takes a single token, and a test of masks
takes keys that are alike, or queries of nought, so that all keys that may be seen weigh the same.
"""

import torch

from autograder.hidden import catches, cuda, expect, expect_unchanged, fails, points
from autograder.hidden.judge import expect_array
from autograder.hidden.pytorch import FLOATS, ON_GPU, compare, compare_gradients, compare_module_gradients, compare_modules, compare_parameters
from autograder.hidden.pytorch import double, gradients, in_dtype, modules, tensor


@points(0.75, part="split_heads")
@catches("split-reshape-only", "split-interleaved")
def test_split_values(student, reference, draw):
    """Head h of a token has the token's own features h·d_head to (h + 1)·d_head − 1, in their order."""
    for _ in range(2):
        batch, n_tokens, n_heads, d_head = draw.different_sizes(4, 2, 8)
        hold_up(student.split_heads, reference.split_heads, tensor(draw.normal((batch, n_tokens, n_heads * d_head))), n_heads)
    x = tensor(draw.normal((1, draw.size(2, 6), 6)))
    for n_heads in (1, 6):
        hold_up(student.split_heads, reference.split_heads, x, n_heads)


@points(0.5, part="split_heads")
@catches(
    "split-without-transpose", "split-n-heads-as-d-head", "split-batch-second", "split-heads-transposed", "split-last-two-exchanged", "split-heads-behind-each-other",
    "split-float-sizes",
)
def test_split_shape(student, reference, draw):
    """The shape is (B, H, T, d_head): the heads come right after the batch."""
    batch, n_heads, d_head = draw.different_sizes(3, 2, 8)
    for n_sequences in (batch, 1):
        alike = tensor(draw.normal((n_sequences, 1, 1))).expand(n_sequences, 1, n_heads * d_head)  # which of them a head gets does not show
        hold_up(student.split_heads, reference.split_heads, alike.contiguous(), n_heads)


@points(0.25, part="split_heads")
@catches("split-detached", "split-always-float32", "split-changes-input")
def test_split_carries(student, reference, draw):
    """The numbers are moved and nothing else: their dtype stays, gradients pass, and the tensor that was handed in keeps its shape and numbers."""
    batch, n_heads = draw.different_sizes(2, 2, 8)
    x = tensor(draw.normal((batch, 1, n_heads)))
    outcome = student.split_heads.outcome(x, n_heads)
    expect_unchanged(outcome, x)
    for dtype in FLOATS:
        hold_up(student.split_heads, reference.split_heads, x.to(dtype), n_heads)
    cotangent = tensor(draw.normal((batch, n_heads, 1, 1)))
    hold_up_gradients(student.split_heads, reference.split_heads, cotangent, x, n_heads)


@points(0.5, part="split_heads")
@catches("split-drops-features", "split-torch-error")
def test_split_errors(student, reference, draw):
    """A width that cannot be shared out evenly, and a number of heads below one, raise ValueError with the two numbers."""
    n_heads, d_head = draw.size(3, 8), draw.size(2, 5)
    student.split_heads(tensor(draw.normal((2, 1, n_heads))), n_heads)  # where all fits, nothing is raised
    with fails("ValueError", n_heads * d_head + 1, n_heads):
        student.split_heads(tensor(draw.normal((2, 3, n_heads * d_head + 1))), n_heads)
    with fails("ValueError", n_heads * d_head, 0):
        student.split_heads(tensor(draw.normal((2, 3, n_heads * d_head))), 0)


@points(0.75, part="merge_heads")
@catches("merge-reshape-only", "merge-interleaved", "merge-mean", "merge-joins-heads-and-tokens")
def test_merge_values(student, reference, draw):
    """The heads' features stand side by side in each token, head 0 first."""
    for _ in range(2):
        batch, n_tokens, n_heads, d_head = draw.different_sizes(4, 2, 8)
        hold_up(student.merge_heads, reference.merge_heads, token_major(tensor(draw.normal((batch, n_heads, n_tokens, d_head)))))
    hold_up(student.merge_heads, reference.merge_heads, token_major(tensor(draw.normal((1, draw.size(2, 6), 1, draw.size(2, 6))))))


@points(0.5, part="merge_heads")
@catches("merge-view")
def test_merge_layout(student, reference, draw):
    """It does not matter how the tensor lies in memory."""
    batch, n_heads, d_head = draw.different_sizes(3, 2, 8)
    hold_up(student.merge_heads, reference.merge_heads, tensor(draw.normal((batch, n_heads, 1, d_head))))
    x = tensor(draw.normal((batch, n_heads, 3, d_head)))
    hold_up(student.merge_heads, reference.merge_heads, token_major(x))
    hold_up(student.merge_heads, reference.merge_heads, x)
    hold_up(student.merge_heads, reference.merge_heads, x.mT.contiguous().mT)


@points(0.25, part="merge_heads")
@catches("merge-detached", "merge-always-float32")
def test_merge_carries(student, reference, draw):
    """The numbers are moved and nothing else: their dtype stays, and gradients pass."""
    batch, n_heads, d_head = draw.different_sizes(3, 2, 8)
    x = tensor(draw.normal((batch, n_heads, 1, d_head)))
    for dtype in FLOATS:
        hold_up(student.merge_heads, reference.merge_heads, x.to(dtype))
    hold_up_gradients(student.merge_heads, reference.merge_heads, tensor(draw.normal((batch, 1, n_heads * d_head))), x)


@points(0.25, part="attention")
@catches("keys-as-values", "no-softmax", "returns-weights")
def test_attention_one_key(student, reference, draw):
    """With a single key the output is its value, whatever the query says; the output alone is returned."""
    d_head, d_value = draw.different_sizes(2, 3, 9)
    for leading, n_queries, width in (((), 1, d_value), ((2, 3), 3, d_head)):
        q, k, v = (tensor(draw.normal((*leading, n, d))) for n, d in ((n_queries, d_head), (1, d_head), (1, width)))
        hold_up(student.attention, reference.attention, q, k, v)


@points(0.5, part="attention")
@catches("no-scale", "scale-multiplied", "scale-by-d", "scale-by-value-width", "scale-by-length", "scale-by-heads", "scale-after-softmax")
def test_attention_scale(student, reference, draw):
    """The scores are divided by √d_head, before the softmax."""
    for leading in ((), (2, 3)):
        d_head, n_keys, d_value = draw.different_sizes(3, 7, 40)  # none the root of another
        q, k, v = (draw.normal((*leading, n, width)) for n, width in ((1, d_head), (n_keys, d_head), (n_keys, d_value)))
        hold_up(student.attention, reference.attention, *map(tensor, (q / 4, k, v)))  # small scores: no key wins, scaled or not


@points(0.5, part="attention")
@catches("softmax-over-queries", "softmax-over-heads", "softmax-over-batch", "scores-transposed")
def test_attention_rows(student, reference, draw):
    """Each query of each head shares out its attention among its own keys: the softmax runs over the last axis."""
    n, other, d_value = draw.different_sizes(3, 3, 9)
    for n_queries, n_keys in ((n, n), (n, other)):
        q, k, v = (tensor(draw.normal((2, 3, rows, width))) for rows, width in ((n_queries, 1), (n_keys, 1), (n_keys, d_value)))
        hold_up(student.attention, reference.attention, q, k, v)


@points(0.5, part="attention")
@catches("transposes-every-axis", "four-dimensions-only", "attention-views")
def test_attention_leading(student, reference, draw):
    """Any leading dimensions are carried along and broadcast, however the tensors lie in memory."""
    n_queries, n_keys, d_value = draw.different_sizes(3, 2, 9)
    q, k, v = (tensor(draw.normal((2, 3, n, d))) for n, d in ((n_queries, 1), (n_keys, 1), (n_keys, d_value)))
    hold_up(student.attention, reference.attention, q, k, v)
    hold_up(student.attention, reference.attention, *map(token_major, (q, k, v)))
    for place in ((0, 0), (0,)):
        hold_up(student.attention, reference.attention, *(x[place] for x in (q, k, v)))
    hold_up(student.attention, reference.attention, q[:, :1], k[0], v[0, 0])
    hold_up(student.attention, reference.attention, q[0, 0], k[0, 0], v)


@points(0.5, part="attention")
@catches(
    "mask-inverted", "mask-inverted-zeros", "mask-after-softmax", "mask-added", "mask-multiplied", "mask-ignored", "mask-truth", "attention-always-causal",
)
def test_attention_mask(student, reference, draw):
    """A key that the mask forbids gets no weight, and the others share its part; without a mask every key is seen."""
    n_queries, n_keys, d_value = draw.different_sizes(3, 3, 9)
    q, k, v = (tensor(draw.normal((2, 3, n, d))) for n, d in ((n_queries, 1), (n_keys, 1), (n_keys, d_value)))
    k = torch.ones_like(k)
    hold_up(student.attention, reference.attention, q, k, v)
    for shape in ((n_queries, n_keys), (2, 1, 1, n_keys), (3, n_queries, n_keys), (n_keys,), (2, 3, n_queries, n_keys)):
        hold_up(student.attention, reference.attention, q, k, v, torch.from_numpy(draw.mask(shape)))
    loud = torch.from_numpy(draw.mask((n_queries, n_keys)))
    loud[:, :2] = torch.tensor([False, True])
    k[..., 0, :] *= 1000  # a forbidden key that would win any contest
    hold_up(student.attention, reference.attention, q, k, v, loud)


@points(0.25, part="attention")
@catches("mask-minus-1e9", "empty-row-nan", "sees-any-without-keepdim")
def test_attention_empty(student, reference, draw):
    """A query that may see no key gives zeros."""
    n_queries, n_keys, d_value = draw.different_sizes(3, 3, 9)
    k, v = (tensor(draw.normal((2, 3, n_keys, d))) for d in (1, d_value))
    q = torch.zeros(2, 3, n_queries, 1)
    mask = torch.from_numpy(draw.mask((2, 1, n_queries, n_keys)))
    hold_up(student.attention, reference.attention, q, k, v, mask)
    mask[draw.index(2), :, draw.index(n_queries)] = False
    hold_up(student.attention, reference.attention, q, k, v, mask)
    hold_up(student.attention, reference.attention, q, k, v, torch.zeros(n_queries, 1, dtype=torch.bool))


@points(0.25, part="attention")
@catches("nan-gradients", "nan-replaced-in-output", "weights-detached", "weights-in-place")
def test_attention_gradients(student, reference, draw):
    """Gradients reach q, k and v, and stay finite where a query may see no key."""
    n_queries, n_keys, d_value = draw.different_sizes(3, 3, 9)
    q, k, v = (tensor(draw.normal((2, 1, n, d))) for n, d in ((n_queries, 1), (n_keys, 1), (n_keys, d_value)))
    cotangent = tensor(draw.normal((2, 1, n_queries, d_value)))
    hold_up_gradients(student.attention, reference.attention, cotangent, q, k, v)
    mask = torch.from_numpy(draw.mask((2, 1, n_queries, n_keys)))
    hold_up_gradients(student.attention, reference.attention, cotangent, q, k, v, mask)
    mask[0, 0, draw.index(n_queries)] = False
    hold_up_gradients(student.attention, reference.attention, cotangent, q, k, v, mask)


@points(0.25, part="attention")
@catches("attention-always-float32", "attention-in-half")
def test_attention_dtype(student, reference, draw):
    """The output has the queries' dtype, integers give float64, and it is computed in float32 or, where the inputs are wider, in theirs."""
    n_keys, d_value = draw.different_sizes(2, 3, 9)
    q, k, v = (tensor(draw.normal((2, n, d))) for n, d in ((1, 1), (n_keys, 1), (n_keys, d_value)))
    hold_up(student.attention, reference.attention, 300 * torch.ones(2, 1, 16).half(), 300 * torch.ones(2, n_keys, 16).half(), v.half())
    for dtype in FLOATS:
        hold_up(student.attention, reference.attention, q.to(dtype), k.to(dtype), v.to(dtype))
    hold_up(student.attention, reference.attention, q, k.double(), v.double())
    hold_up(student.attention, reference.attention, *(x.mul(4).long() for x in (q, k, v)))


@points(0.25, part="attention")
@catches("integer-mask", "attention-torch-errors")
def test_attention_errors(student, reference, draw):
    """Sizes that disagree raise ValueError with the two numbers, a mask that is not boolean raises TypeError."""
    n_queries, n_keys, d_head, other = draw.different_sizes(4, 4, 10)
    q, k, v = (tensor(draw.normal((2, n, d_head))) for n in (n_queries, n_keys, n_keys))
    student.attention(q, k, v)  # where all fits, nothing is raised
    with fails("ValueError", d_head, other):
        student.attention(q, tensor(draw.normal((2, n_keys, other))), v)
    with fails("ValueError", n_keys, other):
        student.attention(q, k, tensor(draw.normal((2, other, d_head))))
    with fails("ValueError", n_keys, other):
        student.attention(q, k, v, torch.ones(n_queries, other, dtype=torch.bool))
    with fails("ValueError", 2, 3):
        student.attention(q, k[:1].expand(3, -1, -1).contiguous(), v)
    for dtype in (torch.int64, torch.float32):
        with fails("TypeError"):
            student.attention(q, k, v, torch.ones(n_queries, n_keys, dtype=dtype))


@points(0.25, part="attention")
@catches("attention-changes-input")
def test_attention_inputs(student, reference, draw):
    """The tensors that are handed in stay as they were, the mask too."""
    n, d_head, d_value = draw.different_sizes(3, 2, 9)
    arguments = [tensor(draw.normal((2, n, width))) for width in (d_head, d_head, d_value)]
    arguments.append(torch.from_numpy(draw.mask((n, n))))
    outcome = student.attention.outcome(*arguments)
    expect_unchanged(outcome, *arguments)
    expect_array(outcome.value, (2, n, d_value), "torch.float32", "output", "PyTorch tensor")


@points(0.5, part="MultiHeadAttention")
@catches("module-always-bias", "module-no-output-bias", "module-full-width-heads", "module-layers-of-one-head", "module-packed-weights",
         "module-shares-layer")
def test_module_parameters(student, reference, draw):
    """Four layers of (d_model, d_model), w_q, w_k, w_v and w_o; with bias=True each has a bias, and otherwise none."""
    n_heads, d_head = draw.different_sizes(2, 2, 6)
    d_model = n_heads * d_head
    for arguments in ((d_model, n_heads), (d_model, n_heads, True), (d_model, n_heads, False)):
        compare_parameters(student.MultiHeadAttention(*arguments), reference.MultiHeadAttention(*arguments), draw, "MultiHeadAttention")


@points(0.5, part="MultiHeadAttention")
@catches(
    "module-no-output-layer", "module-keys-as-values", "module-queries-as-keys", "module-residual", "module-one-head", "module-scale-by-d-model", "module-merge-reshape",
    "module-weights-transposed", "module-heads-added", "module-without-merge",
)
def test_module_values(student, reference, draw):
    """Project, split, attend, merge, and mix with w_o."""
    batch, n_tokens, n_heads = draw.different_sizes(3, 2, 8)
    for shape in ((1, n_tokens, n_heads), (batch, n_tokens, n_heads), (1, 1, n_heads)):
        theirs, ours = same_modules(student, reference, draw, n_heads, n_heads)
        compare_modules(theirs, ours, 2 * tensor(draw.normal(shape)))


@points(0.5, part="MultiHeadAttention")
@catches("module-split-reshape", "module-interleaved")
def test_module_heads(student, reference, draw):
    """Each head works with d_head features of its own, and finds them in the same place of each token."""
    for _ in range(2):
        batch, n_tokens, n_heads, d_head = draw.different_sizes(4, 2, 8)
        theirs, ours = same_modules(student, reference, draw, n_heads * d_head, n_heads, alike=True)
        compare_modules(theirs, ours, tensor(draw.normal((batch, n_tokens, n_heads * d_head))))


@points(0.5, part="MultiHeadAttention")
@catches("module-always-causal", "module-mask-ignored", "module-mask-inverted", "module-mask-unsqueezed")
def test_module_mask(student, reference, draw):
    """A mask may have any shape that broadcasts to (B, H, T, T), and goes to attention as it is; without one every token sees all."""
    batch, n_tokens, n_heads = draw.different_sizes(3, 2, 8)
    theirs, ours = same_modules(student, reference, draw, n_heads, n_heads, alike=True, even=True)
    x = 2 * tensor(draw.normal((batch, n_tokens, n_heads)))
    compare_modules(theirs, ours, x)
    for shape in ((n_tokens, n_tokens), (batch, 1, 1, n_tokens), (n_heads, n_tokens, n_tokens), (batch, 1, n_tokens, n_tokens), (1, n_heads, 1, n_tokens)):
        compare_modules(theirs, ours, x, torch.from_numpy(draw.mask(shape)))


@points(0.25, part="MultiHeadAttention")
@catches("module-bias-unused", "module-empty-row-without-bias")
def test_module_bias(student, reference, draw):
    """With biases all four layers use theirs, and a token that may see nothing gets w_o's bias alone."""
    batch, n_tokens, n_heads = draw.different_sizes(3, 2, 8)
    theirs, ours = same_modules(student, reference, draw, n_heads, n_heads, True)
    x = tensor(draw.normal((batch, n_tokens, n_heads)))
    compare_modules(theirs, ours, x)
    mask = torch.from_numpy(draw.mask((batch, 1, 1, n_tokens)))
    mask[draw.index(batch)] = False
    compare_modules(theirs, ours, x, mask)


@points(0.25, part="MultiHeadAttention")
@catches("module-detached", "module-output-detached")
def test_module_gradients(student, reference, draw):
    """Gradients reach the input and all weights, and stay finite where a token may see nothing."""
    n_tokens, n_heads = draw.different_sizes(2, 2, 8)
    theirs, ours = same_modules(student, reference, draw, n_heads, n_heads, True)
    x, cotangent = (tensor(draw.normal((2, n_tokens, n_heads))) for _ in range(2))
    compare_module_gradients(theirs, ours, cotangent, x)
    mask = torch.from_numpy(draw.mask((2, 1, n_tokens, n_tokens)))
    mask[0, 0, draw.index(n_tokens)] = False
    compare_module_gradients(theirs, ours, cotangent, x, mask)


@points(0.25, part="MultiHeadAttention")
@catches("module-always-float32", "module-changes-input", "module-keeps-length")
def test_module_again(student, reference, draw):
    """The same input gives the same output, other lengths and dtypes work too, and the tensors that are handed in stay as they were."""
    short, long, n_heads = sorted(draw.different_sizes(3, 2, 9))
    theirs, ours = same_modules(student, reference, draw, n_heads, n_heads, alike=True, even=True)
    x, mask = tensor(draw.normal((2, long, n_heads))), torch.from_numpy(draw.mask((long, long)))
    expect_unchanged(theirs.outcome(x, mask), x, mask)
    for n_tokens in (long, short, long + 1):
        compare_modules(theirs, ours, tensor(draw.normal((1, n_tokens, n_heads))))
    for dtype in (torch.float64, torch.bfloat16):
        compare_modules(theirs.to(dtype), ours.to(dtype), x.to(dtype))


@points(0.25, part="MultiHeadAttention")
@catches("module-indivisible")
def test_module_errors(student, reference, draw):
    """A width that cannot be shared out among the heads, and no heads at all, raise ValueError with the two numbers when the module is made."""
    n_heads, d_head = draw.size(3, 8), draw.size(2, 5)
    student.MultiHeadAttention(n_heads * d_head, n_heads)  # where all fits, nothing is raised
    with fails("ValueError", n_heads * d_head + 1, n_heads):
        student.MultiHeadAttention(n_heads * d_head + 1, n_heads)
    with fails("ValueError", n_heads * d_head, 0):
        student.MultiHeadAttention(n_heads * d_head, 0)


def token_major(x):
    """The same tensor (B, H, T, Dh), lying in memory as splitting leaves it: token after token."""
    return x.transpose(1, 2).contiguous().transpose(1, 2)


def hold_up(theirs, ours, *arguments):
    """Judge a function's output against the reference's in float64."""
    expect(theirs(*arguments), ours(*double(arguments)).double(), low=ours(*arguments))


def hold_up_gradients(theirs, ours, cotangent, *arguments):
    """Judge the gradients of Σ output · cotangent with respect to each tensor of floating-point numbers."""
    outcome = theirs.gradients([cotangent], *arguments)
    want, low = (gradients(ours, like, *values) for like, values in ((cotangent.double(), double(arguments)), (cotangent, arguments)))
    tell = [{f"gradient {place}": x for place, x in enumerate(found, start=1)} for found in (outcome.arguments, want, low)]
    same_gradients(*tell)


def same_modules(student, reference, draw, *arguments, **weights):
    """The student's module and the reference's, with the same weights."""
    return modules(student.MultiHeadAttention, reference.MultiHeadAttention, draw, *arguments, **weights)


def same_gradients(got, want, low):
    """Judge gradients by name; what is nought but for rounding is measured by the largest of them (keys' biases are nothing to a softmax)."""
    largest = max(float(right.abs().max()) for right in want.values() if right is not None)
    for name, right in want.items():
        if right is not None:
            shift = largest if float(right.abs().max()) < 1e-6 * largest else 0
            found = got.get(name)
            found = found + shift if isinstance(found, torch.Tensor) and found.shape == right.shape else found
            expect(found, right + shift, low=low[name] + shift, name=name)


# on a GPU


@points(0.0, part="attention")
@cuda
def test_attention_cuda(gpu, reference, draw):
    """On a GPU the numbers are right in float32, float16 and bfloat16, and all of the work is done there."""
    n_queries, n_keys, d_value = draw.different_sizes(3, 40, 90)
    mask = torch.from_numpy(draw.mask((2, 1, n_queries, n_keys)))
    mask[0, 0, draw.index(n_queries)] = False
    for dtype in ON_GPU:
        q, k, v = (tensor(draw.normal((2, n, 3, d))).transpose(1, 2).to(dtype) for n, d in ((n_queries, 32), (n_keys, 32), (n_keys, d_value)))
        for rest in ((), (mask,)):
            compare(gpu.attention, reference.attention, q, k, v, *rest)


@points(0.0, part="attention")
@cuda
def test_attention_gradients_cuda(gpu, reference, draw):
    """On a GPU the gradients are right, and all of the work is done there."""
    n_queries, n_keys = draw.different_sizes(2, 40, 90)
    q, k, v = (tensor(draw.normal((2, 3, n, 32))) for n in (n_queries, n_keys, n_keys))
    mask = torch.from_numpy(draw.mask((2, 1, n_queries, n_keys)))
    mask[0, 0, draw.index(n_queries)] = False
    compare_gradients(gpu.attention, reference.attention, tensor(draw.normal((2, 3, n_queries, 32))), q, k, v, mask)


@points(0.0, part="MultiHeadAttention")
@cuda
def test_module_cuda(gpu, reference, draw):
    """On a GPU the numbers are right in float32, float16 and bfloat16, and all of the work is done there."""
    n_heads, n_tokens = draw.size(2, 5), draw.size(40, 90)
    theirs, ours = modules(gpu.MultiHeadAttention, reference.MultiHeadAttention, draw, 16 * n_heads, n_heads)
    for dtype in ON_GPU:
        compare_modules(*in_dtype(theirs, ours, dtype), tensor(draw.normal((2, n_tokens, 16 * n_heads))).to(dtype), torch.from_numpy(draw.mask((n_tokens, n_tokens))))


@points(0.0, part="MultiHeadAttention")
@cuda
def test_module_gradients_cuda(gpu, reference, draw):
    """On a GPU the gradients are right, and all of the work is done there."""
    n_heads, n_tokens = draw.size(2, 5), draw.size(40, 90)
    theirs, ours = modules(gpu.MultiHeadAttention, reference.MultiHeadAttention, draw, 16 * n_heads, n_heads)
    x, cotangent = (tensor(draw.normal((2, n_tokens, 16 * n_heads))) for _ in range(2))
    compare_module_gradients(theirs, ours, cotangent, x)
