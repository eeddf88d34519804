"""The tiled attention against PyTorch's own in float64, its gradients against autograd, its memory in a process of its own."""

import math
import subprocess
import sys
from pathlib import Path

import pytest
import torch
import torch.nn.functional as F

from solutions.flash import finish, flash_attention, flash_attention_backward, merge_attention, online_softmax

ROOT = Path(__file__).resolve().parents[2]
# L, S, Dh, Dv
SIZES = [(1, 1, 1, 1), (8, 8, 4, 4), (13, 13, 4, 6), (5, 19, 3, 2), (19, 5, 2, 7), (1, 23, 8, 8), (23, 1, 4, 4), (64, 64, 8, 8)]
TILES = [(1, 1), (4, 4), (3, 7), (7, 3), (64, 64), (5, 64), (64, 5)]


def inputs(*shapes, dtype=torch.float64, seed=0):
    """Tensors of normally distributed numbers."""
    generator = torch.Generator().manual_seed(seed)
    return [torch.randn(shape, dtype=torch.float64, generator=generator).to(dtype) for shape in shapes]


def seen(n_queries, n_keys, is_causal):
    """Which key a query sees, in plain loops."""
    offset = n_keys - n_queries
    return torch.tensor([[not is_causal or j <= i + offset for j in range(n_keys)] for i in range(n_queries)]).reshape(n_queries, n_keys)


def expected(q, k, v, is_causal=False):
    """Output and log-sum-exp by PyTorch's attention, in float64; rows that see nothing are zeros and −∞."""
    q, k, v = (x.double() for x in (q, k, v))
    mask = seen(q.shape[-2], k.shape[-2], is_causal)
    output = F.scaled_dot_product_attention(q, k, v, attn_mask=mask | ~mask.any(-1, keepdim=True))
    scores = (torch.einsum("...id,...jd->...ij", q, k) / math.sqrt(q.shape[-1])).where(mask, torch.tensor(-math.inf).double())
    some = mask.any(-1)
    logsumexp = torch.where(some, torch.logsumexp(scores.masked_fill(~some[:, None], 0), -1), -math.inf)
    return output * some[:, None], logsumexp.expand(output.shape[:-1])


def close(got, want, tolerance=1e-12):
    torch.testing.assert_close(got, want, rtol=tolerance, atol=tolerance)


def gradients(function, tensors, cotangents):
    """What autograd makes of Σ result · cotangent, for each tensor."""
    leaves = [x.clone().requires_grad_() for x in tensors]
    results = function(*leaves)
    torch.autograd.backward(results, [c.to(r.dtype) for c, r in zip(cotangents, results)])
    return [x.grad for x in leaves]


# online_softmax and finish


def stream(scores, values, lengths):
    """online_softmax over blocks of these lengths."""
    state = None
    for s, v in zip(scores.split(lengths, dim=-1), values.split(lengths, dim=-2), strict=True):
        state = online_softmax(state, s, v)
    return finish(state)


@pytest.mark.parametrize("slope", [0, 30, -30])
def test_a_stream_is_the_softmax_of_the_whole(slope):
    scores, values = inputs((2, 3, 40), (2, 40, 5))
    scores = scores + slope * torch.arange(40)
    output, logsumexp = stream(scores, values, [1, 7, 2, 20, 1, 9])
    close(output, torch.softmax(scores, -1) @ values)
    close(logsumexp, torch.logsumexp(scores, -1))


@pytest.mark.parametrize("empty", [range(0, 10), range(10, 20), range(30, 40), range(0, 40)])
def test_blocks_of_nothing(empty):
    scores, values = inputs((3, 40), (40, 5))
    scores[1, list(empty)] = -math.inf
    output, logsumexp = stream(scores, values, [10] * 4)
    assert torch.isfinite(output).all()
    close(output, torch.softmax(scores, -1).nan_to_num(0) @ values)
    close(logsumexp, torch.logsumexp(scores, -1))


def test_a_state_can_be_continued_twice_and_does_not_grow():
    (scores, values), (more, others) = inputs((3, 8), (8, 5)), inputs((3, 8), (8, 5), seed=1)
    state = online_softmax(None, scores, values)
    kept = [x.clone() for x in state]
    first = finish(online_softmax(state, more, others))
    again = finish(online_softmax(state, 5 + more, others))
    for x, y in zip(state, kept, strict=True):
        assert torch.equal(x, y)
    close(first[1], torch.logsumexp(torch.cat([scores, more], -1), -1))
    close(again[1], torch.logsumexp(torch.cat([scores, 5 + more], -1), -1))
    for _ in range(50):
        state = online_softmax(state, more, others)
        assert sum(x.numel() for x in state) == sum(x.numel() for x in kept) == 3 * (1 + 1 + 5)


def test_narrow_blocks_are_summed_in_float32():
    scores, values = torch.zeros(1, 64, dtype=torch.float16), torch.full((64, 1), 3.0, dtype=torch.float16)
    state = None
    for _ in range(64):
        state = online_softmax(state, scores, values)
    assert {x.dtype for x in state} == {torch.float32}
    close(finish(state)[1], torch.tensor([math.log(4096.0)]), 1e-6)


def test_the_running_softmax_is_differentiable_where_nothing_is_seen():
    scores, values = inputs((2, 6), (6, 3))
    scores[1] = -math.inf
    for gradient in gradients(lambda s, v: stream(s, v, [2, 4]), (scores, values), inputs((2, 3), (2,), seed=1)):
        assert torch.isfinite(gradient).all()


# flash_attention


@pytest.mark.parametrize("is_causal", [False, True])
@pytest.mark.parametrize(("n_queries", "n_keys", "d_head", "d_value"), SIZES)
@pytest.mark.parametrize("tile", TILES)
def test_values_and_gradients(n_queries, n_keys, d_head, d_value, tile, is_causal):
    q, k, v = tensors = inputs((2, 3, n_queries, d_head), (2, 3, n_keys, d_head), (2, 3, n_keys, d_value))
    output, logsumexp = flash_attention(*tensors, is_causal, *tile)
    want = expected(*tensors, is_causal)
    close(output, want[0])
    close(logsumexp, want[1])
    # A row that sees nothing has no gradient, whatever comes back to its log-sum-exp: −∞ is constant.
    cotangents = inputs(output.shape, logsumexp.shape, seed=1)
    some = seen(n_queries, n_keys, is_causal).any(-1)
    by_autograd = gradients(lambda *x: expected(*x, is_causal), tensors, [cotangents[0], cotangents[1] * some])
    by_tiles = gradients(lambda *x: flash_attention(*x, is_causal, *tile), tensors, cotangents)
    for got, right in zip(by_tiles, by_autograd, strict=True):
        close(got, right)


@pytest.mark.parametrize("is_causal", [False, True])
def test_the_backward_pass_by_itself(is_causal):
    tensors = inputs((2, 21, 4), (2, 17, 4), (2, 17, 6))
    d_output, d_logsumexp = inputs((2, 21, 6), (2, 21), seed=1)
    output, logsumexp = flash_attention(*tensors, is_causal)
    right = gradients(lambda *x: expected(*x, is_causal)[:1], tensors, [d_output])
    for got, want in zip(flash_attention_backward(*tensors, output, logsumexp, d_output, is_causal, 4, 5), right, strict=True):
        close(got, want)
    with_both = flash_attention_backward(*tensors, output, logsumexp, d_output, is_causal, 4, 5, d_logsumexp)
    some = seen(21, 17, is_causal).any(-1)
    for got, want in zip(with_both, gradients(lambda *x: expected(*x, is_causal), tensors, [d_output, d_logsumexp * some]), strict=True):
        close(got, want)


def test_gradients_by_finite_differences():
    tensors = [x.requires_grad_() for x in inputs((2, 7, 3), (2, 5, 3), (5, 2))]
    assert torch.autograd.gradcheck(lambda *x: flash_attention(*x, True, 2, 3)[0], tensors)
    assert torch.autograd.gradcheck(lambda *x: flash_attention(*x, False, 2, 3), tensors)


@pytest.mark.parametrize(
    "leading",
    [((), (), ()), ((2, 1), (3,), ()), ((), (4,), (2, 1)), ((1, 3), (2, 1), (2, 3)), ((1,), (1,), (2,)), ((2, 2, 3), (3,), (2, 1, 1))],
)
@pytest.mark.parametrize("is_causal", [False, True])
def test_leading_dimensions_broadcast(leading, is_causal):
    tensors = inputs(*((*lead, *size) for lead, size in zip(leading, ((9, 3), (7, 3), (7, 5)))))
    output, logsumexp = flash_attention(*tensors, is_causal, 4, 3)
    want = expected(*tensors, is_causal)
    close(output, want[0])
    close(logsumexp, want[1])
    cotangents = inputs(output.shape, logsumexp.shape, seed=1)
    cotangents[1] *= seen(9, 7, is_causal).any(-1)
    by_autograd = gradients(lambda *x: expected(*x, is_causal), tensors, cotangents)
    for got, right in zip(gradients(lambda *x: flash_attention(*x, is_causal, 4, 3), tensors, cotangents), by_autograd, strict=True):
        close(got, right)


@pytest.mark.parametrize(("n_queries", "n_keys"), [(3, 0), (0, 3), (0, 0)])
def test_no_keys_or_no_queries(n_queries, n_keys):
    tensors = inputs((2, n_queries, 4), (2, n_keys, 4), (2, n_keys, 5))
    output, logsumexp = flash_attention(*tensors)
    assert output.shape == (2, n_queries, 5) and not output.any() and (logsumexp == -math.inf).all()
    for x, gradient in zip(tensors, flash_attention_backward(*tensors, output, logsumexp, output)):
        assert gradient.shape == x.shape and not gradient.any()


@pytest.mark.parametrize("is_causal", [False, True])
def test_rising_scores_needles_and_offsets(is_causal):
    n = 50
    q, k, v = inputs((n, 4), (n, 4), (n, 3))
    rising = k * torch.linspace(0, 40, n)[:, None].double()
    needle = k.clone()
    needle[::8] *= 100  # one key in every tile takes all
    far = torch.cat([q, torch.full((n, 1), 100.0)], -1).double(), torch.cat([k, torch.full((n, 1), 100.0)], -1).double()
    for queries, keys in ((q, rising), (q, rising.flip(0)), (q, needle), far):
        got = flash_attention(queries, keys, v, is_causal, 8, 8)
        for x, y in zip(got, expected(queries, keys, v, is_causal), strict=True):
            close(x, y, 1e-11)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16])
@pytest.mark.parametrize("is_causal", [False, True])
def test_narrow_numbers_cost_no_more_than_their_rounding(dtype, is_causal):
    """Within twice the error of PyTorch's own attention and of one rounding, three times for gradients (Dao's rule)."""
    tensors = inputs((2, 70, 16), (2, 90, 16), (2, 90, 8), dtype=dtype)
    d_output = inputs((2, 70, 8), dtype=dtype, seed=1)[0]
    output, logsumexp = flash_attention(*tensors, is_causal, 16, 24)
    assert output.dtype == dtype and logsumexp.dtype == torch.float32
    right = expected(*tensors, is_causal)[0]
    mask = seen(70, 90, is_causal)
    theirs = F.scaled_dot_product_attention(*tensors, attn_mask=mask)
    assert worst(output, right) <= 2 * worst(theirs, right) + 2 * worst(right.to(dtype), right)
    wide = gradients(lambda *x: expected(*x, is_causal)[:1], [x.double() for x in tensors], [d_output.double()])
    low = gradients(lambda *x: (F.scaled_dot_product_attention(*x, attn_mask=mask),), tensors, [d_output])
    ours = gradients(lambda *x: flash_attention(*x, is_causal, 16, 24)[:1], tensors, [d_output])
    for got, want, other in zip(ours, wide, low, strict=True):
        assert got.dtype == dtype
        assert worst(got, want) <= 3 * worst(other, want) + 3 * worst(want.to(dtype), want)


def worst(got, want):
    return (got.double() - want.double()).abs().max().item()


def test_integers_give_float64():
    tensors = [torch.arange(12).reshape(4, 3) % n for n in (3, 4, 5)]
    output, logsumexp = flash_attention(*tensors, block_q=3, block_k=3)
    assert output.dtype == logsumexp.dtype == torch.float64
    close(output, expected(*tensors)[0])


def test_inputs_that_are_not_contiguous_stay_as_they_were():
    tensors = [x.mT[..., ::2, :] for x in inputs((2, 4, 22), (2, 4, 18), (2, 4, 18))]
    before = [x.clone() for x in tensors]
    output, logsumexp = flash_attention(*tensors, block_q=4, block_k=4)
    close(output, expected(*tensors)[0])
    d_output = torch.ones(1, dtype=torch.float64).expand(output.shape)
    flash_attention_backward(*tensors, output, logsumexp, d_output)
    for x, y in zip(tensors, before, strict=True):
        assert torch.equal(x, y)


def test_impossible_arguments():
    q, k, v = inputs((7, 4), (9, 4), (9, 5))
    output, logsumexp = flash_attention(q, k, v)
    for wrong, numbers in (((q[:, :3], k, v), (3, 4)), ((q, k[:8], v), (8, 9)), ((q.expand(2, 7, 4), k.expand(3, 9, 4), v), (2, 3))):
        with pytest.raises(ValueError, match=rf"(?s)\b{numbers[0]}\b.*\b{numbers[1]}\b"):
            flash_attention(*wrong)
        with pytest.raises(ValueError, match=rf"(?s)\b{numbers[0]}\b.*\b{numbers[1]}\b"):
            flash_attention_backward(*wrong, output, logsumexp, output)
    for tile in ((0, 4), (4, 0), (-1, 4), (4, -3)):
        with pytest.raises(ValueError, match=str(min(tile))):
            flash_attention(q, k, v, False, *tile)
        with pytest.raises(ValueError, match=str(min(tile))):
            flash_attention_backward(q, k, v, output, logsumexp, output, False, *tile)
    for wrong in ((output[:6], logsumexp, output), (output, logsumexp[:6], output), (output, logsumexp, output[:, :4])):
        with pytest.raises(ValueError, match="has shape"):
            flash_attention_backward(q, k, v, *wrong)
    with pytest.raises(ValueError, match="do not belong together"):
        merge_attention(output.expand(2, 7, 5), logsumexp.expand(3, 7))


# merge_attention


@pytest.mark.parametrize("n_parts", [1, 2, 5])
def test_parts_merge_to_the_whole_with_their_gradients(n_parts):
    q, k, v = tensors = inputs((2, 3, 4), (2, 30, 4), (2, 30, 5))

    def by_parts(q, k, v):
        size = 30 // n_parts
        parts = [flash_attention(q, k[:, i : i + size], v[:, i : i + size], False, 2, 4) for i in range(0, 30, size)]
        return merge_attention(torch.stack([output for output, _ in parts]), torch.stack([logsumexp for _, logsumexp in parts]))

    for got, want in zip(by_parts(q, k, v), expected(q, k, v), strict=True):
        close(got, want)
    cotangents = inputs((2, 3, 5), (2, 3), seed=1)
    for got, want in zip(gradients(by_parts, tensors, cotangents), gradients(expected, tensors, cotangents), strict=True):
        close(got, want)


def test_parts_that_saw_nothing_count_for_nothing():
    outputs, logsumexps = inputs((3, 2, 4, 5), (3, 2, 4))
    logsumexps[1] = -math.inf
    logsumexps[:, 0, 2] = -math.inf
    outputs = outputs * torch.isfinite(logsumexps)[..., None]
    output, logsumexp = merge_attention(outputs, logsumexps)
    weights = torch.softmax(logsumexps, 0).nan_to_num(0)
    close(output, (weights[..., None] * outputs).sum(0))
    close(logsumexp, torch.logsumexp(logsumexps, 0))
    for gradient in gradients(merge_attention, (outputs, logsumexps), inputs((2, 4, 5), (2, 4), seed=1)):
        assert torch.isfinite(gradient).all()


def test_large_logsumexps_do_not_overflow_and_order_does_not_matter():
    outputs, logsumexps = inputs((4, 3, 5), (4, 3))
    merged = merge_attention(outputs, logsumexps + 2000)
    close(merged[0], merge_attention(outputs.flip(0), logsumexps.flip(0))[0], 1e-11)
    close(merged[1] - 2000, torch.logsumexp(logsumexps, 0), 1e-11)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32])
def test_merged_dtypes(dtype):
    outputs, logsumexps = inputs((4, 3, 5), (4, 3))
    output, logsumexp = merge_attention(outputs.to(dtype), logsumexps.float())
    assert output.dtype == dtype and logsumexp.dtype == torch.float32
    want = merge_attention(outputs.to(dtype).double(), logsumexps)[0]
    assert worst(output, want) <= 2 * worst(want.to(dtype), want) + 1e-6


# memory

PEAK = """
import resource, sys
import torch
from solutions.flash import flash_attention

torch.set_num_threads(1)
n_queries, n_keys, block_q, block_k = map(int, sys.argv[1:])
q, k, v = (torch.randn(n, 4, requires_grad=True) for n in (n_queries, n_keys, n_keys))
flash_attention(q[:8], k[:8], v[:8])[0].sum().backward()
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
output, logsumexp = flash_attention(q, k, v, n_queries == n_keys, block_q, block_k)
(output.sum() + logsumexp.sum()).backward()
assert torch.isfinite(q.grad).all()
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


@pytest.mark.parametrize(
    ("n_queries", "n_keys", "block_q", "block_k"), [(8192, 8192, 512, 512), (128, 1 << 19, 128, 4096), (1 << 19, 128, 4096, 128)]
)
def test_memory_is_linear_forward_and_backward(n_queries, n_keys, block_q, block_k):
    """All scores, a strip of rows or of columns would take 256 MiB once, and the naive passes several times that."""
    command = [sys.executable, "-c", PEAK, *map(str, (n_queries, n_keys, block_q, block_k))]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    peak_kib = int(done.stdout)
    linear_kib = (n_queries + n_keys) * 8 * 4 / 1024  # all inputs, or all outputs, once
    assert peak_kib < 6 * linear_kib + 32 * 1024
