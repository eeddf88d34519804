"""The public checks of flash: what `check(...)` runs in a student's notebook.

Each function is one stage and isolates one thing; its docstring is the sentence that the student reads. The inputs are small, so
that they can be shown, and chosen so that every wrong solution in wrong/ gives another result than the right one, and than the
other wrong ones. What is expected is recorded when the exercise is made: there is no solution in here.
"""

import math
from dataclasses import fields, is_dataclass

from .language import _
from .stage import stage
from .tensors import largest_tensor, tensor, waves

USES = {
    "finish": ("online_softmax",),
    "flash_attention": ("online_softmax", "finish"),
    "flash_attention_backward": ("flash_attention",),
}  # which parts call which

NOTHING = -math.inf
OUTPUT = {"axes": {"": (_("queries"), _("numbers of a value vector"))}}
BOTH = {"returns": ("output", "logsumexp"), "first": "output", "axes": {"output": (_("queries"), _("numbers of a value vector"))}}
ROWS = {"dq": _("queries"), "dk": _("keys"), "dv": _("keys")}
GRADIENTS = {"returns": tuple(ROWS), "axes": {name: (rows, _("numbers of a vector")) for name, rows in ROWS.items()}}
INPUTS = {"axes": {"dq": (_("queries"), _("numbers of a vector"))}}
VALUES_ALONE = {"axes": {"dv": (_("keys"), _("numbers of a vector"))}}

SCORES = tensor([[math.log(n) for n in row] for row in ((1, 2, 6, 1, 2, 2), (5, 1, 2, 2, 8, 2))])  # two queries, six keys
VALUES = tensor([[10, 0, 1], [0, 10, 2], [5, 5, 4], [0, 0, 8], [3, -3, 6], [1, 7, 3]])


def output_of(student, *blocks):
    """What has come of a stream of (scores, values): of a state like the notebook's own without finish, which comes in the next part."""
    state = None
    for scores, values in blocks:
        state = student.online_softmax(state, scores, values)
    return of_state(student, state)


def of_state(student, state):
    """The output that belongs to a state, in float32."""
    if isinstance(state, tuple) and len(state) == 3 and state[0].shape == state[1].shape == state[2].shape[:-1]:
        return (state[2] / state[1].masked_fill(state[1] == 0, 1)[..., None]).float()
    return student.finish(state)[0].float()


def tensors_of(state):
    """The tensors in a state, which may be a tuple, a list, a dictionary or a dataclass of them. What is none of these is taken for a tensor."""
    if isinstance(state, dict):
        inner = state.values()
    elif is_dataclass(state):
        inner = [getattr(state, each.name) for each in fields(state)]
    elif isinstance(state, (tuple, list)):
        inner = state
    else:
        return [state]
    return [x for item in inner for x in tensors_of(item)]


def blocks(scores, values, *lengths):
    """Scores and values cut into blocks of these lengths."""
    return zip(scores.split(lengths, -1), values.split(lengths, -2))


def finished(student, scores, values):
    """finish after one block, in float32."""
    return tuple(x.float() for x in student.finish(student.online_softmax(None, scores, values)))


def hidden(scores, *places):
    """The scores, −∞ at these places."""
    scores = scores.clone()
    for place in places:
        scores[place] = NOTHING
    return scores


# online_softmax


@stage("online_softmax", **OUTPUT)
def one_block(student):
    """One block: the softmax of the scores, times the values."""
    return output_of(student, (SCORES, VALUES))


@stage("online_softmax", needs="one_block", **OUTPUT)
def two_blocks_with_falling_scores(student):
    """Two blocks, the largest score in the first: the sums of both are added."""
    return output_of(student, *blocks(SCORES.sort(-1, descending=True).values, VALUES, 4, 2))


@stage("online_softmax", needs="two_blocks_with_falling_scores", **OUTPUT)
def two_blocks_with_rising_scores(student):
    """Two blocks, the largest score in the second: what was summed before shrinks."""
    return output_of(student, *blocks(SCORES.sort(-1).values, VALUES, 4, 2))


@stage("online_softmax", needs="two_blocks_with_rising_scores", **OUTPUT)
def four_blocks(student):
    """Four blocks of different lengths."""
    return output_of(student, *blocks(SCORES, VALUES, 1, 2, 1, 2))


@stage("online_softmax", needs="one_block", **OUTPUT)
def large_scores(student):
    """Scores of a thousand do not overflow."""
    return output_of(student, (SCORES.double() + 1000, VALUES))


@stage("online_softmax", needs="one_block", **OUTPUT)
def rows_far_apart(student):
    """A query of small scores beside one of large scores: each has a maximum of its own."""
    return output_of(student, (SCORES.double() + tensor([[0.0], [-1000.0]]), VALUES))


@stage("online_softmax", needs="one_block", **OUTPUT)
def far_below_zero(student):
    """Scores of minus a thousand do not vanish."""
    return output_of(student, (SCORES.double() - 1000, VALUES))


@stage("online_softmax", needs="two_blocks_with_falling_scores", **OUTPUT)
def falling_far(student):
    """The second block lies far below the first: it counts for nothing, and nothing overflows."""
    return output_of(student, (SCORES.double(), VALUES), (SCORES.double() - 1000, 2 * VALUES))


@stage("online_softmax", needs="two_blocks_with_falling_scores", **OUTPUT)
def empty_blocks(student):
    """A block of −∞ changes nothing, whether it comes first or last."""
    scores = hidden(SCORES, (0, slice(0, 2)), (1, slice(4, 6)))
    return output_of(student, *blocks(scores, VALUES, 2, 2, 2))


@stage("online_softmax", needs="empty_blocks", **OUTPUT)
def empty_then_far_below(student):
    """A block of −∞ comes first, then scores of minus a thousand: they count, as they would without that block."""
    return output_of(student, *blocks(hidden(SCORES.double() - 1000, (0, slice(0, 2))), VALUES, 2, 4))


@stage("online_softmax", needs="four_blocks")
def size_of_the_state(student):
    """After ten blocks the state is no larger than after two."""
    sizes, state = [], None
    for _block in range(10):
        state = student.online_softmax(state, SCORES, VALUES)
        sizes.append(sum(x.numel() for x in tensors_of(state)))
    return {"state_stays_small": sizes[9] <= sizes[1]}


@stage("online_softmax", needs="two_blocks_with_falling_scores", **OUTPUT)
def blocks_of_float16(student):
    """Blocks in float16 are summed in a wider dtype: here the sum of the values passes 65,504."""
    scores, values = tensor([[0.0] * 500], "float16"), tensor([[300.0, 1.0]] * 500, "float16")
    return output_of(student, *blocks(scores, values, 200, 300))


@stage("online_softmax", needs="two_blocks_with_rising_scores")
def old_state_stays(student):
    """The old state stays as it was: what it gives is the same after the next block as before."""
    first, second = blocks(SCORES, VALUES, 2, 4)
    state = student.online_softmax(None, *first)
    before = [x.clone() for x in tensors_of(state)]
    student.online_softmax(state, *second)
    return {"state_stays": all(bool((x == y).all()) for x, y in zip(before, tensors_of(state)))}


@stage("online_softmax", needs="one_block")
def block_stays(student):
    """The scores and values that were handed in stay as they were."""
    scores, values = SCORES.clone(), VALUES.clone()
    student.online_softmax(None, scores, values)
    return {"scores": scores, "values": values}


# finish


@stage("finish", **BOTH)
def output_and_logsumexp(student):
    """The weighted mean of the values, and the logarithm of the sum of the exponentials."""
    return finished(student, SCORES, VALUES)


@stage("finish", needs="output_and_logsumexp", **BOTH)
def logsumexp_of_large_scores(student):
    """Large scores: the largest is part of the log-sum-exp."""
    return finished(student, SCORES + 100, VALUES)


@stage("finish", needs="output_and_logsumexp", **BOTH)
def nothing_seen(student):
    """A query that has seen no key: zeros, and −∞."""
    return finished(student, hidden(SCORES, (1, slice(None))), VALUES)


@stage("finish", needs="output_and_logsumexp", **BOTH)
def finish_twice(student):
    """The state stays as it was: finishing twice gives the same twice."""
    state = student.online_softmax(None, SCORES, VALUES)
    student.finish(state)
    return tuple(x.float() for x in student.finish(state))


# flash_attention


def qkv(n_queries, n_keys, d_head=1, d_value=2):
    """Small tensors of different numbers."""
    return waves(n_queries, d_head), waves(n_keys, d_head, shift=0.5), waves(n_keys, d_value, shift=0.8)


@stage("flash_attention", **BOTH)
def one_query_one_key(student):
    """One query, one key: the output is the value, and the log-sum-exp the score."""
    return student.flash_attention(tensor([[2.0]]), tensor([[3.0]]), tensor([[7.0, 8.0]]))


@stage("flash_attention", needs="one_query_one_key", **BOTH)
def one_tile(student):
    """Three queries, five keys, one tile: the scores are divided by √d_head, here √4."""
    return student.flash_attention(*qkv(3, 5, 4, 2))


@stage("flash_attention", needs="one_tile", **BOTH)
def several_tiles(student):
    """Four queries, four keys, tiles of 2 · 2."""
    return student.flash_attention(*qkv(4, 4), block_q=2, block_k=2)


@stage("flash_attention", needs="several_tiles", **BOTH)
def last_tile_shorter(student):
    """Five queries, five keys, tiles of 2 · 3: the last tile is shorter."""
    return student.flash_attention(*qkv(5, 5), block_q=2, block_k=3)


@stage("flash_attention", needs="one_tile", **BOTH)
def causal(student):
    """Causal, in one tile: a query sees its own key and those before it."""
    return student.flash_attention(*qkv(4, 4), is_causal=True)


@stage("flash_attention", needs="causal", **BOTH)
def causal_blocks_of_keys(student):
    """Causal, the keys in two blocks: the first key of the second block is key 2, not key 0."""
    return student.flash_attention(*qkv(4, 4), is_causal=True, block_q=4, block_k=2)


@stage("flash_attention", needs="causal_blocks_of_keys", **BOTH)
def causal_blocks_of_queries(student):
    """Causal, the queries in two blocks: the first query of the second block is query 2, not query 0."""
    return student.flash_attention(*qkv(4, 4), is_causal=True, block_q=2, block_k=4)


@stage("flash_attention", needs="causal_blocks_of_queries", **BOTH)
def causal_tiles(student):
    """Causal, in tiles of 2 · 2."""
    return student.flash_attention(*qkv(4, 4), is_causal=True, block_q=2, block_k=2)


@stage("flash_attention", needs="causal_tiles", **BOTH)
def causal_wide_tiles(student):
    """Causal, in tiles of 4 · 2: more queries than keys in a tile."""
    return student.flash_attention(*qkv(8, 8), is_causal=True, block_q=4, block_k=2)


@stage("flash_attention", needs="causal", **BOTH)
def fewer_queries(student):
    """Causal with two queries and four keys: the queries are the last two tokens."""
    return student.flash_attention(*qkv(2, 4), is_causal=True)


@stage("flash_attention", needs="causal", **BOTH)
def more_queries(student):
    """Causal with four queries and two keys: the first two queries see nothing; zeros, and −∞."""
    return student.flash_attention(*qkv(4, 2), is_causal=True, block_q=3)


@stage("flash_attention", needs="one_tile", telling=True, **BOTH)
def leading_dimensions(student):
    """Leading dimensions broadcast: queries (2, L, 1), keys (3, 1, S, 1) and values (S, 2) give (3, 2, L, 2) and (3, 2, L)."""
    return student.flash_attention(waves(2, 2, 1), waves(3, 1, 4, 1, shift=0.5), waves(4, 2, shift=0.8))


@stage("flash_attention", needs="several_tiles", **BOTH)
def bfloat16(student):
    """bfloat16 in: the output is bfloat16, and the log-sum-exp float32."""
    return student.flash_attention(*(x.bfloat16() for x in qkv(2, 4)), block_k=2)


@stage("flash_attention", needs="one_tile", **BOTH)
def float16_products(student):
    """Products beyond 65,504 do not overflow in float16."""
    q, k = tensor([[32.0] * 64], "float16"), tensor([[32.0] * 64, [32.0] * 64, [16.0] * 64], "float16")
    return student.flash_attention(q, k, tensor([[1.0], [3.0], [8.0]], "float16"))


@stage("flash_attention", needs="one_query_one_key", raises="ValueError")
def no_columns(student):
    """A tile of 4 · 0: a ValueError."""
    return student.flash_attention(*qkv(3, 3), block_q=4, block_k=0)


@stage("flash_attention", needs="one_query_one_key", raises="ValueError")
def fewer_than_no_columns(student):
    """A tile of 4 · −1: a ValueError."""
    return student.flash_attention(*qkv(3, 3), block_q=4, block_k=-1)


@stage("flash_attention", needs="one_query_one_key", raises="ValueError", numbers=(2, 3))
def widths_disagree(student):
    """Queries of width 2 and keys of width 3: a ValueError that names both numbers."""
    return student.flash_attention(waves(4, 2), waves(5, 3), waves(5, 1))


@stage("flash_attention", needs="one_query_one_key", raises="ValueError", numbers=(5, 6))
def counts_disagree(student):
    """Five keys and six values: a ValueError that names both numbers."""
    return student.flash_attention(waves(4, 2), waves(5, 2), waves(6, 1))


@stage("flash_attention", needs="one_tile")
def flash_leaves_inputs(student):
    """The tensors that were handed in stay as they were."""
    q, k, v = qkv(3, 4, 4, 2)
    student.flash_attention(q, k, v)
    return {"q": q, "k": k, "v": v}


def fits(call, n_queries, n_keys):
    """Whether a call with d_head and d_value of 1 makes no tensor that is larger than a few times its inputs."""
    return {"tensors_stay_small": largest_tensor(call) <= 4 * (n_queries + n_keys)}


@stage("flash_attention", needs="several_tiles")
def memory_with_many_keys(student):
    """8 queries, 256 keys, tiles of 8 · 8: no tensor of 8 · 256 scores is made."""
    return fits(lambda: student.flash_attention(*qkv(8, 256, 1, 1), block_q=8, block_k=8), 8, 256)


@stage("flash_attention", needs="several_tiles")
def memory_with_many_queries(student):
    """256 queries, 8 keys, tiles of 8 · 8: no tensor of 256 · 8 scores is made."""
    return fits(lambda: student.flash_attention(*qkv(256, 8, 1, 1), block_q=8, block_k=8), 256, 8)


# flash_attention_backward


def results(q, k, v, is_causal=False):
    """Output and log-sum-exp with all scores at once, for the backward pass to begin with."""
    import torch

    q, k, v = (x.float() for x in (q, k, v))
    scores = q @ k.mT / math.sqrt(q.shape[-1])
    if is_causal:
        n_queries, n_keys = scores.shape[-2:]
        scores = scores.masked_fill(torch.ones(n_queries, n_keys).triu(1 + n_keys - n_queries) > 0, NOTHING)
    weights = scores.softmax(-1).nan_to_num(0)
    return weights @ v, scores.logsumexp(-1)


def backward(student, q, k, v, is_causal=False, **tiles):
    """The student's backward pass for results that are right."""
    output, logsumexp = results(q, k, v, is_causal)
    d_output = waves(*output.shape, shift=0.3).to(q.dtype)
    return student.flash_attention_backward(q, k, v, output.to(q.dtype), logsumexp, d_output, is_causal, **tiles)


@stage("flash_attention_backward", **GRADIENTS)
def backward_one_key(student):
    """One query, one key: its weight is 1 whatever happens, so q and k get zeros, and v gets d_output."""
    return backward(student, *qkv(1, 1))


@stage("flash_attention_backward", needs="backward_one_key", **GRADIENTS)
def backward_one_tile(student):
    """Three queries, four keys, one tile: the scale is in the gradients of q and k, here 1/√4."""
    return backward(student, *qkv(3, 4, 4, 2))


@stage("flash_attention_backward", needs="backward_one_tile", **VALUES_ALONE)
def backward_values(student):
    """Two blocks of queries: each adds its part to the gradient of the values."""
    return {"dv": backward(student, *qkv(4, 4), block_q=2)[2]}


@stage("flash_attention_backward", needs="backward_one_tile", **INPUTS)
def backward_queries(student):
    """Two blocks of keys: each adds its part to the gradient of the queries."""
    return {"dq": backward(student, *qkv(4, 4), block_k=2)[0]}


@stage("flash_attention_backward", needs="backward_values", **GRADIENTS)
def backward_several_tiles(student):
    """Four queries, four keys, tiles of 2 · 2: what the tiles give is added up."""
    return backward(student, *qkv(4, 4), block_q=2, block_k=2)


@stage("flash_attention_backward", needs="backward_several_tiles", **GRADIENTS)
def backward_last_tile_shorter(student):
    """Five queries, five keys, tiles of 2 · 3."""
    return backward(student, *qkv(5, 5), block_q=2, block_k=3)


@stage("flash_attention_backward", needs="backward_one_tile", **GRADIENTS)
def backward_causal(student):
    """Causal: nothing flows from a query to a key after it."""
    return backward(student, *qkv(4, 4), True)


@stage("flash_attention_backward", needs="backward_causal", **GRADIENTS)
def backward_causal_tiles(student):
    """Causal, in tiles of 2 · 2."""
    return backward(student, *qkv(4, 4), True, block_q=2, block_k=2)


@stage("flash_attention_backward", needs="backward_causal", **GRADIENTS)
def backward_fewer_queries(student):
    """Causal with two queries and four keys."""
    return backward(student, *qkv(2, 4), True)


@stage("flash_attention_backward", needs="backward_causal", **GRADIENTS)
def backward_more_queries(student):
    """Causal with four queries and two keys: the queries that see nothing get zeros."""
    return backward(student, *qkv(4, 2), True)


@stage("flash_attention_backward", needs="backward_one_tile", **GRADIENTS)
def backward_leading_dimensions(student):
    """Keys and values that served two batches get the sum of both, in their own shape."""
    return backward(student, waves(2, 2, 1), waves(3, 1, shift=0.5), waves(3, 2, shift=0.8))


@stage("flash_attention_backward", needs="backward_one_tile", **GRADIENTS)
def backward_bfloat16(student):
    """bfloat16 in, bfloat16 out."""
    return backward(student, *(x.bfloat16() for x in qkv(3, 4)))


@stage("flash_attention_backward", needs="backward_bfloat16", **GRADIENTS)
def backward_float16_sums(student):
    """Many queries, one key: the sum of their gradients passes 65,504 on the way, which float16 cannot hold."""
    import torch

    q, k, v = (torch.zeros(n, 1, dtype=torch.float16) for n in (512, 1, 1))
    d_output = tensor([[300.0]] * 256 + [[-299.0]] * 256, "float16")
    return student.flash_attention_backward(q, k, v, torch.zeros(512, 1, dtype=torch.float16), torch.zeros(512), d_output)


@stage("flash_attention_backward", needs="backward_one_tile")
def backward_leaves_inputs(student):
    """The tensors that were handed in stay as they were."""
    q, k, v = qkv(3, 4)
    (output, logsumexp), d_output = results(q, k, v), waves(3, 2, shift=0.3)
    student.flash_attention_backward(q, k, v, output, logsumexp, d_output)
    return {"q": q, "k": k, "v": v, "output": output, "logsumexp": logsumexp, "d_output": d_output}


@stage("flash_attention_backward", needs="backward_one_key", raises="ValueError")
def backward_no_columns(student):
    """A tile of 4 · 0: a ValueError."""
    return backward(student, *qkv(3, 3), block_q=4, block_k=0)


@stage("flash_attention_backward", needs="backward_one_key", raises="ValueError", numbers=(2, 3))
def backward_widths_disagree(student):
    """Queries of width 2 and keys of width 3: a ValueError that names both numbers."""
    return student.flash_attention_backward(waves(4, 2), waves(5, 3), waves(5, 1), waves(4, 1), waves(4), waves(4, 1))


@stage("flash_attention_backward", needs="backward_one_key", raises="ValueError")
def d_output_of_another_length(student):
    """Four queries, and a d_output for one: a ValueError."""
    return student.flash_attention_backward(waves(4, 2), waves(5, 2), waves(5, 1), waves(4, 1), waves(4), waves(1, 1))


def memory_of_backward(student, n_queries, n_keys, block_q, block_k):
    """Whether the backward pass makes no tensor that is larger than a few times its inputs."""
    q, k, v = qkv(n_queries, n_keys, 1, 1)
    (output, logsumexp), d_output = results(q, k, v), waves(n_queries, 1)
    call = lambda: student.flash_attention_backward(q, k, v, output, logsumexp, d_output, block_q=block_q, block_k=block_k)
    return fits(call, n_queries, n_keys)


@stage("flash_attention_backward", needs="backward_several_tiles")
def backward_memory_with_many_keys(student):
    """8 queries, 256 keys, tiles of 8 · 8: no tensor of 8 · 256 scores is made."""
    return memory_of_backward(student, 8, 256, 8, 8)


@stage("flash_attention_backward", needs="backward_several_tiles")
def backward_memory_with_many_queries(student):
    """256 queries, 8 keys, tiles of 8 · 8: no tensor of 256 · 8 scores is made."""
    return memory_of_backward(student, 256, 8, 8, 8)


def by_autograd(student, of_logsumexp=False):
    """The gradient of q by autograd, through the output or through the log-sum-exp; zeros where none gets there."""
    import torch

    q, k, v = (x.requires_grad_() for x in qkv(4, 5))
    output, logsumexp = student.flash_attention(q, k, v, block_q=2, block_k=2)
    result = logsumexp if of_logsumexp else output
    if not result.requires_grad:
        return {"dq": torch.zeros_like(q)}
    return {"dq": torch.autograd.grad(result, q, waves(*result.shape), allow_unused=True, materialize_grads=True)[0]}


@stage("flash_attention_backward", needs="backward_several_tiles", **INPUTS)
def through_the_output(student):
    """Autograd reaches q through the output of flash_attention."""
    return by_autograd(student)


@stage("flash_attention_backward", needs="through_the_output", **INPUTS)
def through_the_logsumexp(student):
    """Autograd reaches q through the log-sum-exp, too."""
    return by_autograd(student, of_logsumexp=True)


@stage("flash_attention_backward", needs="through_the_output")
def nothing_is_kept(student):
    """Between forward and backward pass autograd keeps no more than inputs and results."""
    import torch

    kept = []
    q, k, v = (x.requires_grad_() for x in qkv(32, 32, 1, 1))
    with torch.autograd.graph.saved_tensors_hooks(lambda x: kept.append(x.numel()) or x, lambda x: x):
        student.flash_attention(q, k, v, block_q=4, block_k=4)
    return {"little_is_kept": sum(kept) <= 10 * 32}


# merge_attention


PARTS = tensor([[[1.0, 4.0], [2.0, 0.0]], [[3.0, 0.0], [6.0, 1.0]]])  # two parts, two queries


def merged(student, outputs, logsumexps):
    """merge_attention, its log-sum-exp in float32."""
    output, logsumexp = student.merge_attention(outputs, logsumexps)
    return output, logsumexp.float()


@stage("merge_attention", **BOTH)
def equal_parts(student):
    """Two parts of the same weight: the mean, and a log-sum-exp that is larger by log 2."""
    return merged(student, PARTS, tensor([[1.0, 2.0], [1.0, 2.0]]))


@stage("merge_attention", needs="equal_parts", **BOTH)
def unequal_parts(student):
    """Two parts of different weight."""
    return merged(student, PARTS, tensor([[1.0, 3.0], [2.0, 0.5]]))


@stage("merge_attention", needs="unequal_parts", **BOTH)
def three_parts(student):
    """Three parts."""
    return merged(student, waves(3, 2, 2), tensor([[1.0, 0.5], [2.0, -1.0], [0.0, 2.0]]))


@stage("merge_attention", needs="unequal_parts", **BOTH)
def large_logsumexps(student):
    """Large log-sum-exps do not overflow."""
    return merged(student, PARTS, tensor([[1000.0, 1001.0], [1001.0, 1000.0]], "float64"))


def merged_with_nothing(student):
    """What comes of a query that one of two parts has seen, and of one that none has."""
    outputs = PARTS.clone()
    outputs[0, 0] = outputs[:, 1] = 0.0
    return merged(student, outputs, tensor([[NOTHING, NOTHING], [2.0, NOTHING]]))


@stage("merge_attention", needs="unequal_parts", **OUTPUT)
def parts_that_saw_nothing(student):
    """A part that saw nothing does not count; where no part saw anything, the output is zeros."""
    return merged_with_nothing(student)[0]


@stage("merge_attention", needs="parts_that_saw_nothing")
def logsumexp_of_nothing(student):
    """Where no part saw anything, the log-sum-exp is −∞."""
    return merged_with_nothing(student)[1]


@stage("merge_attention", needs="unequal_parts", **BOTH)
def outputs_of_float16(student):
    """Outputs in float16, log-sum-exps in float32: the output is float16, and the weights are computed in float32."""
    return merged(student, PARTS.half(), tensor([[200.05, 200.1], [200.1, 200.0]]))


@stage("merge_attention", needs="equal_parts")
def merge_leaves_inputs(student):
    """The tensors that were handed in stay as they were."""
    outputs, logsumexps = PARTS.clone(), tensor([[1.0, 3.0], [2.0, 0.5]])
    student.merge_attention(outputs, logsumexps)
    return {"outputs": outputs, "logsumexps": logsumexps}


@stage("merge_attention", needs="equal_parts", raises="ValueError")
def shapes_do_not_fit(student):
    """Outputs (2, 1, 3, 2) and log-sum-exps (2, 3): they could be broadcast, but do not belong together. A ValueError."""
    return student.merge_attention(waves(2, 1, 3, 2), waves(2, 3))
