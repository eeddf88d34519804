"""Hidden tests of flash. A test's docstring is the sentence that a student reads beside its result.

Where a test is not about the scale it takes d_head = 1: √1 is 1. Where it is not about log-sum-exps it looks at outputs alone,
where it is not about the causal rule it is not causal, and where it is not about the rescaling of old sums its scores are level or
fall from key to key; where it is not about shorter last tiles its tiles divide the keys: so a mistake costs the points of the rule
that it breaks and few others, whatever is drawn.
"""

import dataclasses
import math

import torch

from autograder.hidden import catches, cuda, expect, expect_small, expect_unchanged, fails, memory, points
from autograder.hidden.gpu import expect_linear, longest_length, memory_of
from autograder.hidden.judge import expect_array, expect_pair
from autograder.hidden.pytorch import ON_GPU

MOST = 26 << 20  # bytes; all scores of the tests that have this bound take 32 MB or more, for each tensor that holds them
LONG_BLOCK, KEPT = 100_000, 80 << 20  # keys in a block; bytes that somebody would have to keep who keeps all blocks
UNDIVIDED = (22, 23, 26, 27, 29)  # lengths that no tile of 4 to 8 divides
DTYPES = (torch.float64, torch.float32, torch.float16, torch.bfloat16)


# online_softmax


@points(0.5, part="online_softmax")
@catches("online-no-rescale", "online-rescales-total-only", "online-rescales-values-only", "online-averages-blocks",
         "online-rescales-new-block", "online-block-maximum", "online-divides-early")
def test_online_rising(student, reference, draw):
    """When a larger score comes, what was summed before it shrinks, numerator and denominator alike."""
    for rise in (0.0, 0.2, -0.2):
        scores, values = tensors(draw, (2, draw.size(2, 6), 60), (2, 60, draw.size(2, 6)))
        compare_stream(student, reference, scores + rise * torch.arange(60), values, block_lengths(draw, 60))


@points(0.25, part="online_softmax")
@catches("online-no-maximum", "online-one-maximum", "online-forgets-maximum", "online-starts-at-nought")
def test_online_large(student, reference, draw):
    """Scores may be large, of either sign, rise or fall by thousands, and differ by thousands from one query to the next."""
    n_queries = draw.size(3, 6)
    scores, values = tensors(draw, (n_queries, 40), (40, draw.size(2, 6)))
    steps = 100 * torch.arange(40)
    for offset in (1500, -1500, 3000 * torch.arange(n_queries)[:, None] - 3000, -steps, steps):
        compare_stream(student, reference, scores + offset, values, block_lengths(draw, 40))


@points(0.25, part="online_softmax")
@catches("online-empty-block-nan", "online-keeps-shift")
def test_online_empty_blocks(student, reference, draw):
    """A block in which a query sees nothing changes nothing for it, wherever the block stands."""
    scores, values = level(draw, 5, 40), *tensors(draw, (40, draw.size(2, 6)))
    lengths = block_lengths(draw, 40, n_blocks=5)
    ends = [0, *torch.tensor(lengths).cumsum(0).tolist()]
    for row, block in enumerate((0, 2, 4)):
        scores[row, ends[block] : ends[block + 1]] = -math.inf
    scores[3, : ends[3]] = -math.inf
    compare_stream(student, reference, scores, values, lengths)
    compare_stream(student, reference, scores - 1000, values, lengths)
    scores[:, : ends[1]] = -math.inf
    compare_stream(student, reference, scores, values, lengths)


@points(0.125, part="online_softmax")
@catches("online-keeps-blocks")
def test_online_state(student, reference, draw):
    """The state stays as small as it was, however many blocks are taken in."""
    n_queries, d_value = draw.different_sizes(2, 2, 6)
    scores, values = level(draw, 2, n_queries, 600), *tensors(draw, (2, 600, d_value))
    compare_stream(student, reference, scores, values, block_lengths(draw, 600, n_blocks=30), most=4 * 2 * n_queries * (d_value + 2))


@points(0.125, part="online_softmax")
@catches("online-keeps-blocks-elsewhere")
@memory(MOST)
def test_online_memory(student, reference, draw):
    """A block that has been taken in is kept nowhere."""
    scores, values = level(draw, 1, LONG_BLOCK).float(), 5 + tensors(draw, (LONG_BLOCK, 1))[0].float()
    kept, times = None, KEPT // (2 * 4 * LONG_BLOCK)
    for _ in range(times):
        kept = student.online_softmax(kept, scores, values)
    expect_finished(student.finish(kept), reference, scores, values, magnitude=times)  # the same block once more leaves the mean as it is


@points(0.25, part="online_softmax")
@catches("online-in-float16")
def test_online_dtype(student, reference, draw):
    """What is float16 or bfloat16 is summed in float32, over many blocks."""
    for dtype in DTYPES:
        scores, values = level(draw, 2, 4000), *tensors(draw, (4000, 2))
        values = 5 + values
        values[:2000] += 50
        values[2000:] -= 50  # the sum goes beyond what float16 can hold, and comes back
        compare_stream(student, reference, (0.1 * scores).to(dtype), values.to(dtype), [200] * 20, magnitude=100.0)


@points(0.25, part="online_softmax")
@catches("online-changes-state", "online-changes-scores")
def test_online_inputs(student, reference, draw):
    """The old state, the scores and the values stay as they were: one state may be continued in two ways."""
    scores, values = level(draw, 3, 24), *tensors(draw, (24, draw.size(2, 6)))
    (first, second, third), (v1, v2, v3) = scores.split(8, -1), values.split(8, -2)
    outcome = student.online_softmax.outcome(None, first, v1)
    expect_inputs_unchanged(outcome, first, v1)
    state = outcome.value
    for block, block_values in ((second, v2), (third, v3)):
        outcome = student.online_softmax.outcome(state, block, block_values)
        expect_state_unchanged(outcome, state)
        expect_inputs_unchanged(outcome, block, block_values)
        both = torch.cat([first, block], -1), torch.cat([v1, block_values], -2)
        expect_finished(student.finish(outcome.value), reference, *both)


# finish


@points(0.25, part="finish")
@catches("finish-no-division")
def test_finish_output(student, reference, draw):
    """The output is the weighted sum divided by the sum of the weights."""
    scores, values = tensors(draw, (2, draw.size(2, 6), 20), (2, 20, draw.size(2, 6)))
    compare_stream(student, reference, scores, values, [20])


@points(0.25, part="finish")
@catches("finish-no-log", "finish-forgets-maximum")
def test_finish_logsumexp(student, reference, draw):
    """The second result is the logarithm of the sum of all exponentials, the largest score included."""
    scores, values = tensors(draw, (2, draw.size(2, 6), 20), (2, 20, draw.size(2, 6)))
    for offset in (0, 5, 1000, -1000):
        compare_stream(student, reference, scores + offset, values, [20], logsumexp=True)


@points(0.25, part="finish")
@catches("finish-empty-nan", "finish-empty-logsumexp")
def test_finish_empty(student, reference, draw):
    """A query that has seen no key gets zeros, and −∞ for its log-sum-exp."""
    scores, values = tensors(draw, (4, 20), (20, draw.size(2, 6)))
    scores[draw.index(4)] = -math.inf
    compare_stream(student, reference, scores, values, [20], logsumexp=True)
    compare_stream(student, reference, torch.full_like(scores, -math.inf), values, [20], logsumexp=True)


@points(0.25, part="finish")
@catches("finish-changes-state")
def test_finish_continues(student, reference, draw):
    """Finishing leaves the state as it was, so that it may take in more."""
    scores, values = tensors(draw, (3, 16), (16, draw.size(2, 6)))
    state = student.online_softmax(None, scores[:, :8], values[:8])
    outcome = student.finish.outcome(state)
    expect_state_unchanged(outcome, state)
    expect_finished(outcome.value, reference, scores[:, :8], values[:8])


# flash_attention


@points(0.25, part="flash_attention")
@catches("flash-no-scale", "flash-scale-by-value-width", "flash-scale-no-root")
def test_flash_scale(student, reference, draw):
    """The scores are divided by √d_head."""
    for _ in range(2):
        n_queries, n_keys, d_head, d_value = draw.different_sizes(4, 6, 30)  # none the root of another
        q, k, v = tensors(draw, (n_queries, d_head), (n_keys, d_head), (n_keys, d_value))
        compare_flash(student, reference, 2 * q, k, v)


@points(0.5, part="flash_attention")
@catches("flash-drops-remainder", "flash-pads-with-zeros", "flash-keeps-state", "flash-first-tiles-only", "flash-forgets-state")
def test_flash_tiles(student, reference, draw):
    """Every key counts, once: in lengths that no tile divides, with scores that rise, and with a key in each tile that stands out."""
    n_queries, n_keys = (UNDIVIDED[place] for place in draw.different_sizes(2, 0, len(UNDIVIDED)))
    block_q, block_k = draw.different_sizes(2, 4, 9)
    q, k, v = tensors(draw, (2, n_queries, 1), (2, n_keys, 1), (2, n_keys, 1))
    rising = k.abs() + 0.2 * torch.arange(n_keys)[:, None]
    needles = k.clone()
    needles[:, draw.index(block_k) :: block_k] *= 20
    for keys in (k, rising, -rising, needles):
        compare_flash(student, reference, q, keys, v, False, block_q, block_k)
    for tile in ((n_queries, n_keys), (2 * n_queries, 2 * n_keys), (n_queries, 1), (1, n_keys)):
        compare_flash(student, reference, q, k, v, False, *tile)
    compare_flash(student, reference, *tensors(draw, (70, 1), (130, 1), (130, 1)))


@points(0.5, part="flash_attention")
@catches("flash-causal-ignored", "flash-causal-strict", "flash-causal-in-tile", "flash-skips-by-number", "flash-skips-by-first-row",
         "flash-causal-reversed", "flash-mask-zero", "flash-skips-last-key")
def test_flash_causal(student, reference, draw):
    """A causal query sees its own key and those before it, whatever the tiles' sizes."""
    n = draw.size(20, 30)
    q, k, v = alike(*tensors(draw, (n, 1), (n, 1), (n, 1)))
    small, large = sorted(draw.different_sizes(2, 3, 12))
    for tile in ((n, n), (small, n), (small, small), (small, large), (large, small), (n, small)):
        compare_flash(student, reference, q, k, v, True, *tile)


@points(0.25, part="flash_attention")
@catches("flash-causal-top-left", "flash-skips-without-offset")
def test_flash_causal_rectangle(student, reference, draw):
    """With more keys than queries, the queries are the last tokens."""
    few, many = draw.size(5, 12), draw.size(20, 30)
    for tile in ((64, 64), (4, 4), (3, 7), (7, 3)):
        compare_flash(student, reference, *alike(*tensors(draw, (few, 1), (many, 1), (many, 1))), True, *tile)
    compare_flash(student, reference, *alike(*tensors(draw, (1, 1), (many, 1), (many, 8))), True)


@points(0.25, part="flash_attention")
@catches("flash-mask-minus-1e9", "flash-empty-logsumexp")
def test_flash_empty(student, reference, draw):
    """With fewer keys than queries the first queries see nothing: zeros, and −∞ for the log-sum-exp."""
    many, few = draw.size(20, 30), draw.size(5, 10)  # so few that a tile that is skipped by its number is none that counts
    q, k, v = alike(*tensors(draw, (many, 1), (few, 1), (few, 1)))
    for tile in ((4, 4), (3, 7), (7, 3), (64, 64)):
        compare_flash(student, reference, q, k, v, True, *tile, with_logsumexp=True)


@points(0.25, part="flash_attention")
@catches("flash-leading-of-q")
def test_flash_leading(student, reference, draw):
    """Leading dimensions are carried along and broadcast, values may be wider than keys, and tensors need not be contiguous."""
    (n_queries, d_value), n_keys = draw.different_sizes(2, 5, 12), 3 * draw.size(4, 6)
    for leading in (((2, 3), (2, 3), (2, 3)), ((2, 1), (3,), ()), ((), (2,), (3, 1)), ((1, 4), (2, 1), (2, 4))):
        q, k, v = tensors(draw, *((*lead, *size) for lead, size in zip(leading, ((n_queries, 1), (n_keys, 1), (n_keys, d_value)))))
        compare_flash(student, reference, *alike(q, k, v), False, 4, 3)
    q, k, v = alike(*tensors(draw, (2, n_queries, 1), (2, n_keys, 1), (2, n_keys, d_value)))
    q, k = (x.transpose(0, 1).contiguous().transpose(0, 1) for x in (q, k))  # the same numbers, lying otherwise in memory
    compare_flash(student, reference, q, k, v.mT.contiguous().mT, False, 4, 3)


@points(0.25, part="flash_attention")
@catches("flash-in-float16", "flash-output-not-narrowed", "flash-half-logsumexp")
def test_flash_dtype(student, reference, draw):
    """The output has the queries' dtype, the log-sum-exp float32 or float64; float16 and bfloat16 are multiplied and summed in float32."""
    n_queries, n_keys = draw.size(5, 8), 8 * draw.size(2, 4)  # one block of queries: who begins with the last one's state is told so elsewhere
    for dtype in DTYPES:
        q, k, v = alike(*tensors(draw, (n_queries, 1), (n_keys, 1), (n_keys, 1), dtype=dtype))
        compare_flash(student, reference, q, k, v, False, 8, 8, with_logsumexp=True)
    q, k, v = alike(*tensors(draw, (n_queries, 16), (n_keys, 16), (n_keys, 16), dtype=torch.float16))
    compare_flash(student, reference, 200 * k[:1].sign().expand(q.shape).clone(), 200 * k.sign(), v, False, 4, 4)


@points(0.25, part="flash_attention")
@catches("flash-tiles-unchecked")
def test_flash_errors(student, reference, draw):
    """Sizes that disagree raise ValueError with the two numbers; so do tiles of less than one row or column."""
    n_queries, n_keys, d_head, other = draw.different_sizes(4, 4, 12)
    q, k, v = tensors(draw, (n_queries, 1), (n_keys, 1), (n_keys, 1))
    compare_flash(student, reference, q, k, v)  # where all fits, nothing is raised
    q, k = tensors(draw, (n_queries, d_head), (n_keys, d_head))
    for tile in ((0, 4), (4, 0), (-2, 4), (4, -1)):
        with fails("ValueError"):
            student.flash_attention(q, k, v, False, *tile)
    with fails("ValueError", d_head, other):
        student.flash_attention(q, *tensors(draw, (n_keys, other), (n_keys, 3)))
    with fails("ValueError", n_keys, other):
        student.flash_attention(q, k, tensors(draw, (other, 3))[0])
    with fails("ValueError", 2, 3):
        student.flash_attention(torch.stack([q, q]), torch.stack([k, k, k]), v)


@points(0.25, part="flash_attention")
@catches("flash-scales-q-in-place")
def test_flash_inputs(student, reference, draw):
    """The tensors that are handed in stay as they were."""
    n_queries, n_keys, d_head = draw.different_sizes(3, 5, 20)
    for dtype in (torch.float32, torch.float64):
        arguments = tensors(draw, (n_queries, d_head), (n_keys, d_head), (n_keys, 3), dtype=dtype)
        outcome = student.flash_attention.outcome(*arguments, False, 4, 4)
        expect_unchanged(outcome, *arguments)
        expect_pair(outcome.value, "flash_attention")


@points(0.25, part="flash_attention")
@catches("flash-row-strips")
@memory(MOST)
def test_flash_memory_long_keys(student, reference, draw):
    """A few queries and very many keys: no tensor holds all scores of a block of queries."""
    compare_some_rows(student, reference, draw, 40, 200_000, 40, 4_000)


@points(0.25, part="flash_attention")
@catches("flash-column-strips")
@memory(MOST)
def test_flash_memory_long_queries(student, reference, draw):
    """Very many queries and a few keys: no tensor holds all scores of a block of keys."""
    compare_some_rows(student, reference, draw, 200_000, 40, 4_000, 40)


@points(0.25, part="flash_attention")
@catches("flash-whole-matrix")
@memory(MOST)
def test_flash_memory_square(student, reference, draw):
    """Many queries and as many keys: no tensor holds all scores."""
    compare_some_rows(student, reference, draw, 2_900, 2_900, 290, 290)


# flash_attention_backward


@points(0.25, part="flash_attention_backward")
@catches("backward-no-scale", "backward-scale-twice")
def test_backward_scale(student, reference, draw):
    """The scale 1/√d_head goes into the gradients of the queries and of the keys, once."""
    n_queries, n_keys, d_head, d_value = draw.different_sizes(4, 5, 20)
    compare_backward(student, reference, draw, *tensors(draw, (n_queries, d_head), (n_keys, d_head), (n_keys, d_value)))


@points(0.25, part="flash_attention_backward")
@catches("backward-no-delta", "backward-delta-of-tile", "backward-softmax-of-tile", "backward-overwrites", "backward-drops-remainder")
def test_backward_tiles(student, reference, draw):
    """The gradients are the same for all sizes of tiles, also in lengths that no tile divides."""
    n_queries, n_keys = (UNDIVIDED[place] for place in draw.different_sizes(2, 0, len(UNDIVIDED)))
    block_q, block_k = draw.different_sizes(2, 5, 9)
    q, k, v = tensors(draw, (2, n_queries, 1), (2, n_keys, 1), (2, n_keys, 3))
    for tile in ((64, 64), (block_q, block_k), (block_k, block_q)):
        compare_backward(student, reference, draw, q, k, v, False, *tile)


@points(0.25, part="flash_attention_backward")
@catches("backward-causal-ignored", "backward-causal-top-left", "backward-causal-in-tile")
def test_backward_causal(student, reference, draw):
    """Nothing flows back from a query to a key that it has not seen."""
    few, many = draw.size(6, 12), draw.size(15, 20)
    for n_queries, n_keys in ((many, many), (few, many)):
        for tile in ((4, 4), (3, 7), (7, 3)):
            compare_backward(student, reference, draw, *tensors(draw, (n_queries, 1), (n_keys, 1), (n_keys, 3)), True, *tile)


@points(0.25, part="flash_attention_backward")
@catches("backward-empty-nan")
def test_backward_empty(student, reference, draw):
    """A query that has seen nothing gives gradients of zero, and no NaN to the others."""
    many, few = draw.size(15, 25), draw.size(5, 12)
    for tile in ((4, 4), (3, 7), (64, 64)):
        compare_backward(student, reference, draw, *tensors(draw, (many, 1), (few, 1), (few, 3)), True, *tile)


@points(0.25, part="flash_attention_backward")
@catches("backward-no-sum-over-leading")
def test_backward_leading(student, reference, draw):
    """What was broadcast gets the sum of its gradients, in its own shape."""
    (n_queries, d_value), n_keys = draw.different_sizes(2, 4, 10), 3 * draw.size(4, 6)
    for leading in (((2, 3), (2, 3), (2, 3)), ((2, 1), (3,), ()), ((), (2,), (3, 1)), ((1, 4), (2, 1), (2, 4))):
        q, k, v = tensors(draw, *((*lead, *size) for lead, size in zip(leading, ((n_queries, 1), (n_keys, 1), (n_keys, d_value)))))
        compare_backward(student, reference, draw, q, k, v, False, 4, 3)


@points(0.25, part="flash_attention_backward")
@catches("backward-in-float16", "backward-not-narrowed")
def test_backward_dtype(student, reference, draw):
    """Each gradient has its input's dtype, and is summed in float32 at least."""
    n_queries, n_keys = draw.size(17, 24), 8 * draw.size(3, 5)
    for dtype in DTYPES:
        compare_backward(student, reference, draw, *tensors(draw, (n_queries, 1), (n_keys, 1), (n_keys, 4), dtype=dtype), False, 8, 8)
    q, k, v = tensors(draw, (n_queries, 16), (n_keys, 16), (n_keys, 2), dtype=torch.float16)
    compare_backward(student, reference, draw, 200 * q.sign(), 200 * k.sign(), v, False, 4, 4)


@points(0.25, part="flash_attention_backward")
@catches("backward-changes-d-output")
def test_backward_inputs(student, reference, draw):
    """Nothing that is handed in is changed."""
    n_queries, n_keys = draw.different_sizes(2, 8, 16)
    q, k, v = tensors(draw, (n_queries, 1), (n_keys, 1), (n_keys, 3))
    output, logsumexp = reference.flash_attention(q, k, v)
    arguments = q, k, v, output, logsumexp, tensors(draw, output.shape)[0]
    expect_unchanged(student.flash_attention_backward.outcome(*arguments, False, 4, 4), *arguments)


@points(0.25, part="flash_attention_backward")
@catches("backward-unchecked")
def test_backward_errors(student, reference, draw):
    """The backward pass raises ValueError as the forward pass does: for widths that disagree, and for tiles of less than one row or column."""
    n_queries, n_keys, d_head, other = draw.different_sizes(4, 4, 12)
    q, k, v = tensors(draw, (n_queries, d_head), (n_keys, d_head), (n_keys, 3))
    results = *reference.flash_attention(q, k, v), tensors(draw, (n_queries, 3))[0]
    student.flash_attention_backward(q, k, v, *results)  # where all fits, nothing is raised
    for tile in ((0, 4), (4, 0), (-2, 4), (4, -1)):
        with fails("ValueError"):
            student.flash_attention_backward(q, k, v, *results, False, *tile)
    with fails("ValueError", d_head, other):
        student.flash_attention_backward(q, *tensors(draw, (n_keys, other), (n_keys, 3)), *results)


@points(0.25, part="flash_attention_backward")
@catches("autograd-detached")
def test_backward_by_autograd(student, reference, draw):
    """`output.backward()` of flash_attention reaches q, k and v."""
    n_queries, n_keys = draw.size(25, 36), 12 * draw.size(2, 4)
    inputs = falling(*tensors(draw, (2, n_queries, 1), (2, n_keys, 1), (2, n_keys, 1)))
    compare_autograd(student, reference, draw, inputs, through_logsumexp=False)


@points(0.25, part="flash_attention_backward")
@catches("autograd-ignores-logsumexp", "autograd-logsumexp-sign")
def test_backward_through_logsumexp(student, reference, draw):
    """What comes back to the log-sum-exp reaches q and k, too."""
    n_queries, n_keys = draw.size(25, 36), 12 * draw.size(2, 4)
    inputs = falling(*tensors(draw, (2, n_queries, 1), (2, n_keys, 1), (2, n_keys, 1)))
    compare_autograd(student, reference, draw, inputs, through_logsumexp=True)


@points(0.25, part="flash_attention_backward")
@catches("autograd-keeps-tiles")
@memory(MOST)
def test_backward_memory_by_autograd(student, reference, draw):
    """Between forward and backward pass nothing is kept of the tiles."""
    q, k, v = falling(*tensors(draw, (40, 1), (200_000, 1), (200_000, 1), dtype=torch.float32))
    settings = False, 40, 4_000
    got = student.flash_attention.gradients([torch.ones(40, 1), torch.zeros(40)], q, k, v, *settings).arguments[:3]
    expect_some_gradients(draw, got, reference, (q, k, v), *reference.flash_attention(q, k, v, *settings))


@points(0.25, part="flash_attention_backward")
@catches("backward-whole-matrix")
@memory(MOST)
def test_backward_memory(student, reference, draw):
    """The backward pass makes no tensor of more scores than a tile has."""
    q, k, v = tensors(draw, (200_000, 1), (40, 1), (40, 1), dtype=torch.float32)
    settings = False, 4_000, 40
    output, logsumexp = reference.flash_attention(q, k, v, *settings)
    got = student.flash_attention_backward(q, k, v, output, logsumexp, torch.ones(200_000, 1), *settings)
    expect_some_gradients(draw, got, reference, (q, k, v), output, logsumexp)


# merge_attention


@points(0.25, part="merge_attention")
@catches("merge-mean", "merge-weights-by-logsumexp", "merge-in-half", "merge-not-narrowed")
def test_merge_output(student, reference, draw):
    """Each part counts as much as the sum of its exponentials, in the outputs' dtype."""
    for n_parts in (2, draw.size(3, 7), 1):
        outputs, logsumexps = tensors(draw, (n_parts, 2, 3, 4), (n_parts, 2, 3))
        for dtype in DTYPES:
            narrow, wide = outputs.to(dtype), (200 + logsumexps).to(torch.promote_types(dtype, torch.float32))
            compare_merge(student, reference, narrow, wide, logsumexp=False)


@points(0.25, part="merge_attention")
@catches("merge-overflow", "merge-largest-logsumexp", "merge-adds-logsumexps")
def test_merge_logsumexp(student, reference, draw):
    """The log-sum-exp of the whole is the logarithm of the parts' sum, for large ones too."""
    outputs, logsumexps = tensors(draw, (draw.size(3, 6), 3, 4), (1, 3))
    logsumexps = logsumexps + tensors(draw, (len(outputs), 3))[0]
    for offset in (0, 1000, -1000):
        compare_merge(student, reference, outputs, logsumexps + offset)


@points(0.125, part="merge_attention")
@catches("merge-empty-nan", "merge-empty-logsumexp")
def test_merge_empty(student, reference, draw):
    """Parts that saw nothing do not count, and where none saw anything there are zeros and −∞."""
    outputs, logsumexps = tensors(draw, (3, 5, 4), (3, 5))
    logsumexps[draw.index(3)] = -math.inf
    logsumexps[:, draw.index(5)] = -math.inf
    outputs[logsumexps == -math.inf] = 0
    compare_merge(student, reference, outputs, logsumexps)


@points(0.125, part="merge_attention")
@catches("merge-unchecked", "merge-changes-inputs")
def test_merge_inputs(student, reference, draw):
    """The tensors that are handed in stay as they were, and shapes that do not belong together raise ValueError."""
    n_parts, n_queries, other = draw.different_sizes(3, 3, 8)
    arguments = tensors(draw, (n_parts, n_queries, 2), (n_parts, n_queries))
    outcome = student.merge_attention.outcome(*arguments)
    expect_unchanged(outcome, *arguments)
    expect_pair(outcome.value, "merge_attention")
    for shapes in (((n_parts, 1, n_queries, 2), (n_parts, n_queries)), ((n_parts, n_queries, 2), (n_parts, other))):
        with fails("ValueError"):
            student.merge_attention(*tensors(draw, *shapes))


# on a GPU


@points(0.0, part="flash_attention")
@cuda
def test_flash_cuda(gpu, reference, draw):
    """On a GPU the numbers are right in float32, float16 and bfloat16, and all of the work is done there."""
    n_queries, n_keys, d_value = draw.different_sizes(3, 60, 130)
    for dtype in ON_GPU:
        q, k, v = (x.transpose(1, 2) for x in tensors(draw, (2, n_queries, 3, 32), (2, n_keys, 3, 32), (2, n_keys, 3, d_value), dtype=dtype))
        for is_causal in (False, True):
            compare_flash(gpu, reference, q, k, v, is_causal, 32, 48, with_logsumexp=True)


@points(0.0, part="flash_attention_backward")
@cuda
def test_flash_gradients_cuda(gpu, reference, draw):
    """On a GPU the gradients are right, and all of the work is done there."""
    n_queries, n_keys, d_value = draw.different_sizes(3, 60, 130)
    for dtype in ON_GPU:
        inputs = tensors(draw, (2, n_queries, 32), (2, n_keys, 32), (2, n_keys, d_value), dtype=dtype)
        compare_backward(gpu, reference, draw, *inputs, True, 32, 48)
    settings = False, 32, 48
    inputs = tensors(draw, (2, n_queries, 32), (2, n_keys, 32), (2, n_keys, d_value), dtype=torch.float32)
    output, logsumexp = reference.flash_attention(*inputs, *settings)
    d_output, d_logsumexp = tensors(draw, output.shape, logsumexp.shape, dtype=torch.float32)
    got = gpu.flash_attention.gradients([d_output, d_logsumexp], *inputs, *settings).arguments[:3]
    expect_gradients(got, reference, inputs, d_output, settings, d_logsumexp)


@points(0.0, part="flash_attention")
@cuda
def test_flash_memory_cuda(gpu, reference, draw):
    """On a GPU memory grows with the length alone, up to lengths at which all scores would not fit."""
    compare_flash(gpu, reference, *tensors(draw, (64, 16), (64, 16), (64, 16), dtype=torch.float32))  # what a device needs once for all
    longest = longest_length(gpu)
    taken = {}
    for n in (longest // 2, longest):
        inputs = tensors(draw, (n, 16), (n, 16), (n, 16), dtype=torch.float32)
        value, taken[n] = memory_of(gpu.flash_attention, *inputs, False, longest // 50, longest // 50)
        output, _ = expect_pair(value, "flash_attention")
        expect_some(draw, output, reference, *inputs)
    expect_linear(gpu, taken)


def tensors(draw, *shapes, dtype=torch.float64):
    """A tensor of normally distributed numbers for each shape."""
    return [torch.from_numpy(draw.normal(tuple(shape))).to(dtype) for shape in shapes]


def level(draw, *shape):
    """Scores that are the same for all keys of a query: what has been summed is never rescaled."""
    return tensors(draw, (*shape[:-1], 1))[0].expand(shape).clone()


def alike(q, k, v):
    """q, k and v with equal keys, so that each query's scores are level: what has been summed is never rescaled."""
    return q, k[..., :1, :].expand(k.shape).clone(), v


def falling(q, k, v):
    """q, k and v with d_head = 1 whose scores fall from key to key: what has been summed is never rescaled, and no gradient is nought."""
    return q.abs(), k.sort(dim=-2, descending=True).values, v


def block_lengths(draw, total, n_blocks=12):
    """Random lengths, none of them 0, that add up to the total."""
    cuts = sorted(draw.generator.choice(range(1, total), n_blocks - 1, replace=False).tolist())
    return [stop - start for start, stop in zip([0, *cuts], [*cuts, total])]


def compare_stream(student, reference, scores, values, lengths, logsumexp=False, most=None, magnitude=1.0):
    """Feed the student a stream of blocks, and judge what finish makes of the state. most: the most numbers that a state may hold."""
    state = None
    for block, block_values in zip(scores.split(lengths, -1), values.split(lengths, -2), strict=True):
        state = student.online_softmax(state, block, block_values)
        if most is not None:
            expect_small(state, most, "state")
    expect_finished(student.finish(state), reference, scores, values, logsumexp, magnitude)


def expect_finished(got, reference, scores, values, logsumexp=False, magnitude=1.0):
    """Judge (output, logsumexp) of scores and values that have been taken in; of the log-sum-exp only where that is asked for."""
    output, got_logsumexp = expect_pair(got, "finish")
    want, low = (reference.finish(reference.online_softmax(None, s, v)) for s, v in ((scores.double(), values.double()), (scores, values)))
    dtypes = values.dtype, torch.float32, torch.float64
    magnitude = max(magnitude, largest_of(scores))
    expect(output, want[0], low=in_dtype_of(output, low[0], dtypes), name="output", magnitude=as_seen_in(output, magnitude))
    if logsumexp:
        expect_logsumexp(got_logsumexp, want[1], in_dtype_of(got_logsumexp, low[1], dtypes))


def in_dtype_of(got, low, dtypes):
    """The reference's numbers in the dtype that the student has chosen, where it is one of those that are allowed."""
    return low.to(got.dtype) if isinstance(got, torch.Tensor) and got.dtype in dtypes else low


def largest_of(x):
    """The largest absolute value of the finite numbers in x."""
    return torch.where(x.isfinite(), x.double(), 0).abs().max().item()


def as_seen_in(got, magnitude):
    """The magnitude of exponents computed in float32, for a result that may be narrower: its units in the last place are larger."""
    narrow = isinstance(got, torch.Tensor) and got.dtype in (torch.float16, torch.bfloat16)
    return max(1.0, magnitude * torch.finfo(torch.float32).eps / torch.finfo(got.dtype).eps) if narrow else magnitude


def expect_logsumexp(got, want, low):
    """Judge log-sum-exps: −∞ where it should be and nowhere else, and the numbers. A shape that broadcasts to the right one will do."""
    if not isinstance(got, torch.Tensor):
        expect(got, want, low=low, name="logsumexp")
    if got.shape != want.shape and broadcasts(got.shape, want.shape):
        got = got.expand(want.shape)
    if got.shape == want.shape:
        expect(got == -math.inf, want == -math.inf, name="logsumexp == -inf")
        got, want, low = (x.masked_fill(x == -math.inf, 0) for x in (got, want, low))
    expect(got, want, low=low, name="logsumexp")


def broadcasts(shape, to):
    """Whether a shape broadcasts to another."""
    try:
        return torch.broadcast_shapes(shape, to) == to
    except RuntimeError:
        return False


def expect_state_unchanged(outcome, state):
    """The call has left the state, its first argument, as it was. One that stays with the student, such as an object of a class, is judged by what comes of it."""
    several = [x if isinstance(x, (tuple, list)) else () for x in (state, outcome.arguments[0])]
    for before, after in zip(*several):
        if isinstance(before, torch.Tensor):
            expect_array(after, tuple(before.shape), str(before.dtype), "state as before", "PyTorch tensor")  # or the two would broadcast
            same = (before == after) | (before.isnan() & after.isnan())
            expect(same, torch.ones_like(same), name="state as before")


def expect_inputs_unchanged(outcome, scores, values):
    """The call of online_softmax has left its second and third argument as they were."""
    expect_unchanged(dataclasses.replace(outcome, arguments=outcome.arguments[1:]), scores, values)


def compare_flash(student, reference, q, k, v, *settings, with_logsumexp=False):
    """Judge the output of flash_attention, and its log-sum-exp where the test is about that, too."""
    output, logsumexp = expect_pair(student.flash_attention(q, k, v, *settings), "flash_attention")
    want = reference.flash_attention(q.double(), k.double(), v.double(), *settings)
    low = reference.flash_attention(q, k, v, *settings)
    expect(output, want[0], low=low[0], name="output", magnitude=as_seen_in(output, largest_score(q, k)))
    if with_logsumexp:
        expect_logsumexp(logsumexp, want[1], low[1])


def largest_score(q, k):
    """A bound on the largest score."""
    longest_q, longest_k = (x.double().norm(dim=-1).max().item() for x in (q, k))
    return max(1.0, longest_q * longest_k / math.sqrt(q.shape[-1]))


def compare_backward(student, reference, draw, q, k, v, *settings):
    """Judge the gradients that flash_attention_backward gives for the reference's own results."""
    output, logsumexp = reference.flash_attention(q, k, v, *settings)
    d_output = tensors(draw, output.shape, dtype=output.dtype)[0]
    got = student.flash_attention_backward(q, k, v, output, logsumexp, d_output, *settings)
    expect_gradients(got, reference, (q, k, v), d_output, settings)


def compare_autograd(student, reference, draw, inputs, through_logsumexp):
    """Judge the gradients that autograd takes of flash_attention: of its output, or of its log-sum-exp."""
    settings = False, 8, 12
    output, logsumexp = reference.flash_attention(*inputs, *settings)
    d_output, d_logsumexp = tensors(draw, output.shape, logsumexp.shape)
    cotangents = [0 * d_output, d_logsumexp] if through_logsumexp else [d_output, 0 * d_logsumexp]
    got = student.flash_attention.gradients(cotangents, *inputs, *settings).arguments[:3]
    expect_gradients(got, reference, inputs, cotangents[0], settings, cotangents[1])


def expect_gradients(got, reference, inputs, d_output, settings, d_logsumexp=None):
    """Judge (dq, dk, dv). Gradients may be half as far again from the right ones as outputs, as in FlashAttention's own tests."""
    both = []
    for x in ([x.double() for x in inputs], inputs):
        results = reference.flash_attention(*x, *settings)
        both.append(reference.flash_attention_backward(*x, *results, d_output.to(x[0].dtype), *settings, d_logsumexp))
    want, low = both
    several = isinstance(got, (tuple, list)) and len(got) == 3
    for place, name in enumerate(("dq", "dk", "dv")):
        narrow = (want[place] + 1.5 * (low[place].double() - want[place])).to(low[place].dtype)
        expect(got[place] if several else got, want[place], low=narrow, name=name, magnitude=as_seen_in(narrow, largest_score(*inputs[:2])))


def compare_merge(student, reference, outputs, logsumexps, logsumexp=True):
    """Judge merge_attention."""
    output, merged = expect_pair(student.merge_attention(outputs, logsumexps), "merge_attention")
    want, low = (reference.merge_attention(*x) for x in ((outputs.double(), logsumexps.double()), (outputs, logsumexps)))
    expect(output, want[0], low=low[0], name="output", magnitude=as_seen_in(output, largest_of(logsumexps)))
    if logsumexp:
        expect_logsumexp(merged, want[1], in_dtype_of(merged, low[1], (torch.float64,)))


def some_places(draw, n):
    """Nine places in 0…n − 1, in order: the first, the last, and others."""
    return torch.tensor(sorted({0, n - 1, *(draw.index(n) for _ in range(7))}))


def compare_some_rows(student, reference, draw, n_queries, n_keys, block_q, block_k):
    """Judge some rows of a long attention, which do not depend on the others."""
    q, k, v = alike(*tensors(draw, (n_queries, 1), (n_keys, 1), (n_keys, 1), dtype=torch.float32))
    output, _ = expect_pair(student.flash_attention(q, k, v, False, block_q, block_k), "flash_attention")
    expect_some(draw, output, reference, q, k, v)


def expect_some(draw, output, reference, q, k, v):
    """Judge some rows of the output of a long attention, not causal."""
    rows = some_places(draw, len(q))
    want, low = (reference.flash_attention(q[rows].to(x), k.to(x), v.to(x), False, len(rows), 20_000) for x in (torch.float64, torch.float32))
    expect(output[rows] if fits(output, rows) else output, want[0], low=low[0], name=f"output[{rows.tolist()}]", magnitude=largest_score(q, k))


def fits(came, rows):
    """Whether what came is a tensor that has the rows; if not, its shape will be found wrong."""
    return isinstance(came, torch.Tensor) and came.dim() > 0 and len(came) > int(rows[-1])


def expect_some_gradients(draw, got, reference, inputs, output, logsumexp):
    """Judge some rows of dq, dk and dv of a long attention for a d_output of ones.

    Each row takes all of the other side, and no other rows of its own.
    """
    q, k, v, output, logsumexp = (x.double() for x in (*inputs, output, logsumexp))
    d_output = torch.ones_like(output)
    tile = False, 20_000, 20_000
    queries, keys = some_places(draw, len(q)), some_places(draw, len(k))
    dq, _, _ = reference.flash_attention_backward(q[queries], k, v, output[queries], logsumexp[queries], d_output[queries], *tile)
    _, dk, dv = reference.flash_attention_backward(q, k[keys], v[keys], output, logsumexp, d_output, *tile)
    several = isinstance(got, (tuple, list)) and len(got) == 3
    for place, (name, want, rows) in enumerate((("dq", dq, queries), ("dk", dk, keys), ("dv", dv, keys))):
        came = got[place] if several else got
        expect(came[rows] if fits(came, rows) else came, want, low=want.float(), name=f"{name}[{rows.tolist()}]", magnitude=largest_score(q, k))
