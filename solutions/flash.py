"""Attention tile by tile, exact and in memory that grows with the length alone (Dao et al. 2022; Dao 2023).

The running softmax is that of Milakov & Gimelshein 2018, merging by log-sum-exp that of Flash-Decoding (Dao et al. 2023).
"""

import math
from typing import NamedTuple

import torch
from torch.autograd.function import once_differentiable

from solutions.multi_head import check_shapes, result_dtype, working_dtype


class State(NamedTuple):
    """What is kept of all keys taken in so far: two numbers and one vector for each query."""

    largest: torch.Tensor  # (..., L) the largest score; −∞ where no key has been seen
    total: torch.Tensor  # (..., L) the sum of exp(score − largest)
    weighted: torch.Tensor  # (..., L, Dv) the sum of exp(score − largest) · value


def online_softmax(state, scores, values):
    """Take one more block of keys and values into a softmax-weighted sum (Milakov & Gimelshein 2018, algorithm 3).

    state: None to begin, or what the last call returned; it is left as it was.
    scores (..., L, b): scaled and masked, −∞ where a key may not be seen. values (..., b, Dv).
    Returns the new State, in `working_dtype(scores, values)`, of a size that does not depend on b.
    """
    dtype = working_dtype(scores, values)
    scores, values = scores.to(dtype), values.to(dtype)
    largest = scores.amax(dim=-1)  # (..., L)
    if state is not None:
        largest = torch.maximum(state.largest, largest)
    shift = largest.masked_fill(largest == -math.inf, 0)  # −∞ − (−∞) would be NaN
    powers = torch.exp(scores - shift[..., None])  # (..., L, b)
    total = powers.sum(dim=-1)  # (..., L)
    weighted = powers @ values  # (..., L, Dv)
    if state is not None:
        shrink = torch.exp(state.largest - shift)  # (..., L): 1 where the largest score has stayed, and 0 where no key had been seen
        total = total + shrink * state.total
        weighted = weighted + shrink[..., None] * state.weighted
    return State(largest, total, weighted)


def finish(state):
    """The result for the keys taken in so far: (output, logsumexp) of shapes (..., L, Dv) and (..., L), in the state's dtype.

    A query that has seen no key gets zeros and −∞. The state is left as it was, and may be continued.
    """
    total = state.total.masked_fill(state.total == 0, 1)
    output = state.weighted / total[..., None]  # (..., L, Dv)
    logsumexp = state.largest + torch.log(total)  # (..., L)
    return output, logsumexp


def tiles(n, block):
    """Slices of at most `block` places that cover 0…n − 1 in order; none where n is 0 or less."""
    return [slice(start, min(start + block, n)) for start in range(0, n, block)]


class Tiled(torch.autograd.Function):
    """Tells autograd to keep nothing of the tiles: forward is flash_forward, backward is flash_attention_backward."""

    @staticmethod
    def forward(ctx, q, k, v, is_causal, block_q, block_k):
        """Keeps the inputs and the two results, all of them linear in the lengths."""
        output, logsumexp = flash_forward(q, k, v, is_causal, block_q, block_k)
        ctx.save_for_backward(q, k, v, output, logsumexp)
        ctx.settings = (is_causal, block_q, block_k)
        return output, logsumexp

    @staticmethod
    @once_differentiable
    def backward(ctx, d_output, d_logsumexp):
        """Gradients of the six arguments of forward; the last three have none."""
        dq, dk, dv = flash_attention_backward(*ctx.saved_tensors, d_output, *ctx.settings, d_logsumexp)
        return dq, dk, dv, None, None, None


def flash_attention(q, k, v, is_causal=False, block_q=64, block_k=64):
    """Attention without a matrix of scores, forward and backward (Dao 2023, algorithms 1 and 2).

    q (..., L, Dh), k (..., S, Dh), v (..., S, Dv); leading dimensions broadcast. is_causal: query i sees key j where j ≤ i + (S − L).
    block_q, block_k: rows and columns of a tile. No tensor holds more than block_q·block_k scores a head; all else is O((L + S)·(Dh + Dv)).
    Returns (output, logsumexp) of shapes (..., L, Dv) and (..., L), the first in `result_dtype(q)`, the second in `working_dtype(q, k, v)`.
    A query that may see no key gets zeros and −∞, and gradients of 0.
    Raises ValueError where sizes disagree, naming the two numbers, and for tiles of less than 1.
    """
    check_shapes(q, k, v)
    check_tiles(block_q, block_k)
    return Tiled.apply(q, k, v, is_causal, block_q, block_k)


def flash_forward(q, k, v, is_causal, block_q, block_k):
    """The forward pass of flash_attention, with its arguments and results, when they have been checked."""
    dtype = working_dtype(q, k, v)
    n_queries, n_keys = q.shape[-2], k.shape[-2]
    leading = torch.broadcast_shapes(q.shape[:-2], k.shape[:-2], v.shape[:-2])
    output = torch.zeros(*leading, n_queries, v.shape[-1], dtype=result_dtype(q), device=q.device)
    logsumexp = torch.full((*leading, n_queries), -math.inf, dtype=dtype, device=q.device)
    for rows in tiles(n_queries, block_q):
        state = None
        for columns in tiles(n_keys_seen(rows, n_queries, n_keys, is_causal), block_k):
            state = online_softmax(state, tile_scores(q, k, rows, columns, is_causal, dtype), v[..., columns, :].to(dtype))
        if state is not None:
            output[..., rows, :], logsumexp[..., rows] = finish(state)
    return output, logsumexp


def n_keys_seen(rows, n_queries, n_keys, is_causal):
    """How many of the first keys the last query of these rows sees: no tile beyond them holds anything for any of the rows."""
    return rows.stop + n_keys - n_queries if is_causal else n_keys


def tile_scores(q, k, rows, columns, is_causal, dtype):
    """Scores of some queries and some keys (..., block_q, block_k), scaled, −∞ where a query may not see the key.

    rows, columns: slices. The causal rule goes by a query's number among all queries and a key's among all keys, not in the tile.
    """
    scores = q[..., rows, :].to(dtype) @ k[..., columns, :].to(dtype).mT / math.sqrt(q.shape[-1])
    if is_causal:
        last_seen = torch.arange(rows.start, rows.stop, device=q.device) + k.shape[-2] - q.shape[-2]  # (block_q,)
        keys = torch.arange(columns.start, columns.stop, device=q.device)  # (block_k,)
        scores = scores.masked_fill(keys > last_seen[:, None], -math.inf)
    return scores


@torch.no_grad()
def flash_attention_backward(q, k, v, output, logsumexp, d_output, is_causal=False, block_q=64, block_k=64, d_logsumexp=None):
    """Gradients of flash_attention from its results, with the weights computed again tile by tile (Dao 2023, algorithm 2).

    q, k, v, is_causal, block_q, block_k: as they were. output, logsumexp: what came of it.
    d_output (..., L, Dv) and d_logsumexp (..., L): the loss's gradients with respect to the two; None stands for zeros.
    Returns (dq, dk, dv) with the shapes and dtypes of q, k and v.
    Raises ValueError as flash_attention does, and where a gradient or a result has another shape than q, k and v give.
    """
    check_results(q, k, v, output, logsumexp, d_output, block_q, block_k)
    dtype = working_dtype(q, k, v)
    n_queries, n_keys = q.shape[-2], k.shape[-2]
    scale = 1 / math.sqrt(q.shape[-1])
    dq, dk, dv = (torch.zeros_like(x, dtype=dtype) for x in (q, k, v))
    delta = (d_output.to(dtype) * output.to(dtype)).sum(dim=-1)  # (..., L): each row's Σ weight · d_weight, known without the weights
    if d_logsumexp is not None:
        delta = delta - d_logsumexp  # ∂logsumexp/∂score is the weight, so it joins the bracket below
    logsumexp = logsumexp.masked_fill(logsumexp == -math.inf, 0)  # of a row that sees nothing: all its scores are −∞
    for rows in tiles(n_queries, block_q):
        q_tile, d_tile = q[..., rows, :].to(dtype), d_output[..., rows, :].to(dtype)
        for columns in tiles(n_keys_seen(rows, n_queries, n_keys, is_causal), block_k):
            k_tile, v_tile = k[..., columns, :].to(dtype), v[..., columns, :].to(dtype)
            weights = torch.exp(tile_scores(q, k, rows, columns, is_causal, dtype) - logsumexp[..., rows, None])  # (..., block_q, block_k)
            d_weights = d_tile @ v_tile.mT
            d_scores = scale * weights * (d_weights - delta[..., rows, None])
            dv[..., columns, :] += (weights.mT @ d_tile).sum_to_size(v_tile.shape)  # sums over leading dimensions that were broadcast
            dq[..., rows, :] += (d_scores @ k_tile).sum_to_size(q_tile.shape)
            dk[..., columns, :] += (d_scores.mT @ q_tile).sum_to_size(k_tile.shape)
    return dq.to(result_dtype(q)), dk.to(result_dtype(k)), dv.to(result_dtype(v))


def check_results(q, k, v, output, logsumexp, d_output, block_q, block_k):
    """Raise ValueError unless these can be the inputs, the results and the gradient of one call of flash_attention."""
    check_shapes(q, k, v)
    check_tiles(block_q, block_k)
    shape = (*torch.broadcast_shapes(q.shape[:-2], k.shape[:-2], v.shape[:-2]), q.shape[-2], v.shape[-1])
    for name, x, expected in (("output", output, shape), ("d_output", d_output, shape), ("logsumexp", logsumexp, shape[:-1])):
        if tuple(x.shape) != expected:
            raise ValueError(f"{name} has shape {tuple(x.shape)}, and q, k and v make it {expected}")


def check_tiles(block_q, block_k):
    """Raise ValueError unless a tile has a row and a column."""
    if block_q < 1 or block_k < 1:
        raise ValueError(f"a tile has 1 row and 1 column at least, and this one has {block_q} and {block_k}")


def merge_attention(outputs, logsumexps):
    """The result for all keys from the results for parts of them, in any order (Flash-Decoding, Dao et al. 2023).

    outputs (n, ..., L, Dv) and logsumexps (n, ..., L): what flash_attention gave for n disjoint sets of keys.
    Returns (output, logsumexp) of shapes (..., L, Dv) and (..., L), the first in `result_dtype(outputs)`, the second in
    `working_dtype(outputs, logsumexps)`. Parts that all saw nothing give zeros and −∞.
    Raises ValueError where the shapes disagree.
    """
    if outputs.shape[:-1] != logsumexps.shape:
        shapes = f"outputs of shape {tuple(outputs.shape)} and logsumexps of shape {tuple(logsumexps.shape)}"
        raise ValueError(f"{shapes} do not belong together")
    dtype = working_dtype(outputs, logsumexps)
    largest = logsumexps.to(dtype).amax(dim=0)  # (..., L)
    shift = largest.masked_fill(largest == -math.inf, 0)  # −∞ − (−∞) would be NaN
    parts = torch.exp(logsumexps - shift)  # (n, ..., L): how much each part counts
    total = parts.sum(dim=0)
    total = total.masked_fill(total == 0, 1)
    output = (parts[..., None] * outputs).sum(dim=0) / total[..., None]  # (..., L, Dv)
    return output.to(result_dtype(outputs)), largest + torch.log(total)
