"""FlashAttention for training, as Triton kernels: a forward pass that keeps the log-sum-exp, and the backward pass (Dao 2023, algorithms 1 and 2).

No exercise asks for it. The tiles are arguments, so that benchmarks/kernels.py can look for the fastest. Everything is in the exponents of 2.
"""

import math
from typing import NamedTuple

import torch
import triton
import triton.language as tl
from torch.autograd.function import once_differentiable

from solutions.triton_flash import LOG2_E, check_inputs


class Tiles(NamedTuple):
    """How a kernel cuts its work: rows and columns of a tile, warps to a program, tiles on their way at a time."""

    block_q: int
    block_k: int
    warps: int
    stages: int


class Configuration(NamedTuple):
    """The tiles of the three kernels."""

    forward: Tiles
    keys: Tiles  # of the kernel that computes dk and dv
    queries: Tiles  # of the kernel that computes dq


@triton.jit
def tile_of_softmax(largest, total, weighted, q, k, v, allowed, scale, MASKED: tl.constexpr):
    """attend_tile with the scale inside the exponent, which makes it one multiplication and addition; the mask only where a tile needs one."""
    products = tl.dot(q, k, input_precision="ieee")  # (BLOCK_Q, BLOCK_K)
    if MASKED:
        products = tl.where(allowed, products, -float("inf"))
    new = tl.maximum(largest, tl.max(products, 1) * scale)
    shift = tl.where(new == -float("inf"), 0.0, new)
    powers = tl.exp2(products * scale - shift[:, None])
    shrink = tl.exp2(largest - shift)
    total = total * shrink + tl.sum(powers, 1)
    weighted = tl.dot(powers.to(v.dtype), v, weighted * shrink[:, None], input_precision="ieee")
    return new, total, weighted


@triton.jit
def forward_kernel(
    q_ptr, k_ptr, v_ptr, out_ptr, logsumexp_ptr,
    q_stride_b, q_stride_h, q_stride_t, q_stride_d, k_stride_b, k_stride_h, k_stride_t, k_stride_d,
    v_stride_b, v_stride_h, v_stride_t, v_stride_d, out_stride_b, out_stride_h, out_stride_t, out_stride_d,
    n_heads, n_queries, n_keys, scale,
    IS_CAUSAL: tl.constexpr, D_HEAD: tl.constexpr, BLOCK_Q: tl.constexpr, BLOCK_K: tl.constexpr,
):
    """One program: BLOCK_Q queries. First the tiles of which every query sees every key, without a mask, then the others.

    logsumexp (B·H, L): log₂ of the sum of 2^score, for each query; −∞ where it sees nothing. Causal programs with the most work come first.
    """
    n_blocks = tl.cdiv(n_queries, BLOCK_Q)
    block, pair = tl.program_id(0) % n_blocks, tl.program_id(0) // n_blocks
    if IS_CAUSAL:
        block = n_blocks - 1 - block
    batch, head = (pair // n_heads).to(tl.int64), (pair % n_heads).to(tl.int64)
    first = block * BLOCK_Q
    in_q, in_k, features = tl.arange(0, BLOCK_Q), tl.arange(0, BLOCK_K), tl.arange(0, D_HEAD)
    rows = first + in_q
    is_query = rows[:, None] < n_queries
    q_ptr += batch * q_stride_b + head * q_stride_h + first.to(tl.int64) * q_stride_t
    k_ptr += batch * k_stride_b + head * k_stride_h
    v_ptr += batch * v_stride_b + head * v_stride_h
    out_ptr += batch * out_stride_b + head * out_stride_h + first.to(tl.int64) * out_stride_t
    q = tl.load(q_ptr + in_q[:, None] * q_stride_t + features[None, :] * q_stride_d, mask=is_query, other=0.0)
    largest = tl.full((BLOCK_Q,), -float("inf"), tl.float32)
    total = tl.zeros((BLOCK_Q,), tl.float32)
    weighted = tl.zeros((BLOCK_Q, D_HEAD), tl.float32)
    offset = n_keys - n_queries
    seen, unmasked = n_keys, n_keys
    if IS_CAUSAL:
        seen = tl.maximum(0, tl.minimum(n_keys, tl.minimum(first + BLOCK_Q, n_queries) + offset))
        unmasked = tl.maximum(0, tl.minimum(n_keys, first + 1 + offset))  # what the first query of the block sees
    unmasked = unmasked // BLOCK_K * BLOCK_K
    k_places = k_ptr + in_k[None, :] * k_stride_t + features[:, None] * k_stride_d
    v_places = v_ptr + in_k[:, None] * v_stride_t + features[None, :] * v_stride_d
    for start in range(0, unmasked, BLOCK_K):
        k, v = tl.load(k_places), tl.load(v_places)
        largest, total, weighted = tile_of_softmax(largest, total, weighted, q, k, v, True, scale, MASKED=False)
        k_places += BLOCK_K * k_stride_t
        v_places += BLOCK_K * v_stride_t
    for start in range(unmasked, seen, BLOCK_K):
        columns = start + in_k
        is_key = columns < n_keys
        k, v = tl.load(k_places, mask=is_key[None, :], other=0.0), tl.load(v_places, mask=is_key[:, None], other=0.0)
        allowed = is_key[None, :]
        if IS_CAUSAL:
            allowed = allowed & (columns[None, :] <= rows[:, None] + offset)
        largest, total, weighted = tile_of_softmax(largest, total, weighted, q, k, v, allowed, scale, MASKED=True)
        k_places += BLOCK_K * k_stride_t
        v_places += BLOCK_K * v_stride_t
    total = tl.where(total == 0.0, 1.0, total)
    output = (weighted / total[:, None]).to(out_ptr.dtype.element_ty)
    tl.store(out_ptr + in_q[:, None] * out_stride_t + features[None, :] * out_stride_d, output, mask=is_query)
    tl.store(logsumexp_ptr + pair.to(tl.int64) * n_queries + rows, largest + tl.log2(total), mask=rows < n_queries)


@triton.jit
def delta_kernel(
    out_ptr, d_out_ptr, delta_ptr,
    out_stride_b, out_stride_h, out_stride_t, out_stride_d, g_stride_b, g_stride_h, g_stride_t, g_stride_d,
    n_heads, n_queries, D_HEAD: tl.constexpr, BLOCK_Q: tl.constexpr,
):
    """delta (B·H, L): Σ output · d_output of each query, which is Σ weight · d_weight of its row."""
    n_blocks = tl.cdiv(n_queries, BLOCK_Q)
    block, pair = tl.program_id(0) % n_blocks, tl.program_id(0) // n_blocks
    batch, head = (pair // n_heads).to(tl.int64), (pair % n_heads).to(tl.int64)
    rows, features = block * BLOCK_Q + tl.arange(0, BLOCK_Q), tl.arange(0, D_HEAD)
    at, is_query = rows.to(tl.int64), rows < n_queries
    out_ptr += batch * out_stride_b + head * out_stride_h
    d_out_ptr += batch * g_stride_b + head * g_stride_h
    output = tl.load(out_ptr + at[:, None] * out_stride_t + features[None, :] * out_stride_d, mask=is_query[:, None], other=0.0)
    d_output = tl.load(d_out_ptr + at[:, None] * g_stride_t + features[None, :] * g_stride_d, mask=is_query[:, None], other=0.0)
    delta = tl.sum(output.to(tl.float32) * d_output.to(tl.float32), 1)
    tl.store(delta_ptr + pair.to(tl.int64) * n_queries + rows, delta, mask=is_query)


@triton.jit
def keys_kernel(
    q_ptr, k_ptr, v_ptr, d_out_ptr, logsumexp_ptr, delta_ptr, dk_ptr, dv_ptr,
    q_stride_b, q_stride_h, q_stride_t, q_stride_d, k_stride_b, k_stride_h, k_stride_t, k_stride_d,
    v_stride_b, v_stride_h, v_stride_t, v_stride_d, g_stride_b, g_stride_h, g_stride_t, g_stride_d,
    dk_stride_b, dk_stride_h, dk_stride_t, dk_stride_d, dv_stride_b, dv_stride_h, dv_stride_t, dv_stride_d,
    n_heads, n_queries, n_keys, scale, power_scale,
    IS_CAUSAL: tl.constexpr, D_HEAD: tl.constexpr, BLOCK_Q: tl.constexpr, BLOCK_K: tl.constexpr,
):
    """One program: dk and dv of BLOCK_K keys, from all queries that see them. The weights are computed again, transposed: (BLOCK_K, BLOCK_Q)."""
    n_blocks = tl.cdiv(n_keys, BLOCK_K)
    block, pair = tl.program_id(0) % n_blocks, tl.program_id(0) // n_blocks
    batch, head = (pair // n_heads).to(tl.int64), (pair % n_heads).to(tl.int64)
    first = block * BLOCK_K
    in_q, in_k, features = tl.arange(0, BLOCK_Q), tl.arange(0, BLOCK_K), tl.arange(0, D_HEAD)
    columns = first + in_k
    is_key, at = columns < n_keys, columns.to(tl.int64)
    k_ptr += batch * k_stride_b + head * k_stride_h
    v_ptr += batch * v_stride_b + head * v_stride_h
    k = tl.load(k_ptr + at[:, None] * k_stride_t + features[None, :] * k_stride_d, mask=is_key[:, None], other=0.0)  # (BLOCK_K, Dh)
    v = tl.load(v_ptr + at[:, None] * v_stride_t + features[None, :] * v_stride_d, mask=is_key[:, None], other=0.0)
    dk = tl.zeros((BLOCK_K, D_HEAD), tl.float32)
    dv = tl.zeros((BLOCK_K, D_HEAD), tl.float32)
    offset = n_keys - n_queries
    begin = 0
    if IS_CAUSAL:
        begin = tl.maximum(0, first - offset) // BLOCK_Q * BLOCK_Q  # no query before it sees the first key of the block
    q_ptr += batch * q_stride_b + head * q_stride_h
    d_out_ptr += batch * g_stride_b + head * g_stride_h
    logsumexp_ptr += pair.to(tl.int64) * n_queries
    delta_ptr += pair.to(tl.int64) * n_queries
    for start in range(begin, n_queries, BLOCK_Q):
        rows = start + in_q
        is_query, there = rows < n_queries, rows.to(tl.int64)
        q = tl.load(q_ptr + there[None, :] * q_stride_t + features[:, None] * q_stride_d, mask=is_query[None, :], other=0.0)  # (Dh, BLOCK_Q)
        d_out = tl.load(d_out_ptr + there[:, None] * g_stride_t + features[None, :] * g_stride_d, mask=is_query[:, None], other=0.0)
        logsumexp = tl.load(logsumexp_ptr + rows, mask=is_query, other=0.0)
        delta = tl.load(delta_ptr + rows, mask=is_query, other=0.0)
        allowed = is_key[:, None] & is_query[None, :]
        if IS_CAUSAL:
            allowed = allowed & (columns[:, None] <= rows[None, :] + offset)
        scores = tl.dot(k, q, input_precision="ieee") * power_scale
        weights = tl.where(allowed, tl.exp2(tl.where(allowed, scores - logsumexp[None, :], 0.0)), 0.0)
        dv = tl.dot(weights.to(d_out.dtype), d_out, dv, input_precision="ieee")
        d_weights = tl.dot(v, tl.trans(d_out), input_precision="ieee")
        d_scores = (weights * (d_weights - delta[None, :])).to(q.dtype)
        dk = tl.dot(d_scores, tl.trans(q), dk, input_precision="ieee")
    dk_ptr += batch * dk_stride_b + head * dk_stride_h
    dv_ptr += batch * dv_stride_b + head * dv_stride_h
    tl.store(dk_ptr + at[:, None] * dk_stride_t + features[None, :] * dk_stride_d, (dk * scale).to(dk_ptr.dtype.element_ty), mask=is_key[:, None])
    tl.store(dv_ptr + at[:, None] * dv_stride_t + features[None, :] * dv_stride_d, dv.to(dv_ptr.dtype.element_ty), mask=is_key[:, None])


@triton.jit
def queries_kernel(
    q_ptr, k_ptr, v_ptr, d_out_ptr, logsumexp_ptr, delta_ptr, dq_ptr,
    q_stride_b, q_stride_h, q_stride_t, q_stride_d, k_stride_b, k_stride_h, k_stride_t, k_stride_d,
    v_stride_b, v_stride_h, v_stride_t, v_stride_d, g_stride_b, g_stride_h, g_stride_t, g_stride_d,
    dq_stride_b, dq_stride_h, dq_stride_t, dq_stride_d,
    n_heads, n_queries, n_keys, scale, power_scale,
    IS_CAUSAL: tl.constexpr, D_HEAD: tl.constexpr, BLOCK_Q: tl.constexpr, BLOCK_K: tl.constexpr,
):
    """One program: dq of BLOCK_Q queries, from all keys that they see."""
    n_blocks = tl.cdiv(n_queries, BLOCK_Q)
    block, pair = tl.program_id(0) % n_blocks, tl.program_id(0) // n_blocks
    if IS_CAUSAL:
        block = n_blocks - 1 - block
    batch, head = (pair // n_heads).to(tl.int64), (pair % n_heads).to(tl.int64)
    first = block * BLOCK_Q
    in_q, in_k, features = tl.arange(0, BLOCK_Q), tl.arange(0, BLOCK_K), tl.arange(0, D_HEAD)
    rows = first + in_q
    is_query, at = rows < n_queries, rows.to(tl.int64)
    q_ptr += batch * q_stride_b + head * q_stride_h
    d_out_ptr += batch * g_stride_b + head * g_stride_h
    q = tl.load(q_ptr + at[:, None] * q_stride_t + features[None, :] * q_stride_d, mask=is_query[:, None], other=0.0)  # (BLOCK_Q, Dh)
    d_out = tl.load(d_out_ptr + at[:, None] * g_stride_t + features[None, :] * g_stride_d, mask=is_query[:, None], other=0.0)
    logsumexp = tl.load(logsumexp_ptr + pair.to(tl.int64) * n_queries + rows, mask=is_query, other=0.0)
    delta = tl.load(delta_ptr + pair.to(tl.int64) * n_queries + rows, mask=is_query, other=0.0)
    dq = tl.zeros((BLOCK_Q, D_HEAD), tl.float32)
    offset = n_keys - n_queries
    seen = n_keys
    if IS_CAUSAL:
        seen = tl.minimum(n_keys, tl.minimum(first + BLOCK_Q, n_queries) + offset)
    k_ptr += batch * k_stride_b + head * k_stride_h
    v_ptr += batch * v_stride_b + head * v_stride_h
    for start in range(0, seen, BLOCK_K):
        columns = start + in_k
        is_key, there = columns < n_keys, columns.to(tl.int64)
        k = tl.load(k_ptr + there[None, :] * k_stride_t + features[:, None] * k_stride_d, mask=is_key[None, :], other=0.0)  # (Dh, BLOCK_K)
        v = tl.load(v_ptr + there[None, :] * v_stride_t + features[:, None] * v_stride_d, mask=is_key[None, :], other=0.0)
        allowed = is_query[:, None] & is_key[None, :]
        if IS_CAUSAL:
            allowed = allowed & (columns[None, :] <= rows[:, None] + offset)
        scores = tl.dot(q, k, input_precision="ieee") * power_scale
        weights = tl.where(allowed, tl.exp2(tl.where(allowed, scores - logsumexp[:, None], 0.0)), 0.0)
        d_weights = tl.dot(d_out, v, input_precision="ieee")
        d_scores = (weights * (d_weights - delta[:, None])).to(k.dtype)
        dq = tl.dot(d_scores, tl.trans(k), dq, input_precision="ieee")
    dq_ptr += batch * dq_stride_b + head * dq_stride_h
    tl.store(dq_ptr + at[:, None] * dq_stride_t + features[None, :] * dq_stride_d, (dq * scale).to(dq_ptr.dtype.element_ty), mask=is_query[:, None])


def default_configuration(d_head, dtype):
    """The Configuration that fits on GPUs from compute capability 8.0 on. Not chosen by measurement: see benchmarks/kernels.py."""
    if dtype == torch.float32:
        return Configuration(Tiles(64, 32, 8, 2), Tiles(32, 32, 8, 1), Tiles(32, 32, 8, 1))
    if d_head == 128:
        return Configuration(Tiles(128, 64, 8, 2), Tiles(32, 64, 4, 2), Tiles(64, 32, 4, 2))
    return Configuration(Tiles(128, 64, 4, 3), Tiles(64, 64, 4, 2), Tiles(64, 64, 4, 2))


def forward(q, k, v, is_causal=False, tiles=None):
    """(output, logsumexp in exponents of 2, (B·H, L) float32) of inputs as flash_attention_triton takes them. tiles: a Tiles."""
    check_inputs(q, k, v)
    batch, n_heads, n_queries, d_head = q.shape
    tiles = tiles or default_configuration(d_head, q.dtype).forward
    output = torch.empty_like(q)
    logsumexp = torch.empty(batch * n_heads, n_queries, dtype=torch.float32, device=q.device)
    if output.numel():
        forward_kernel[(triton.cdiv(n_queries, tiles.block_q) * batch * n_heads,)](
            q, k, v, output, logsumexp, *q.stride(), *k.stride(), *v.stride(), *output.stride(),
            n_heads, n_queries, k.shape[2], LOG2_E / math.sqrt(d_head), IS_CAUSAL=is_causal, D_HEAD=d_head,
            BLOCK_Q=tiles.block_q, BLOCK_K=tiles.block_k, num_warps=tiles.warps, num_stages=tiles.stages,
        )
    return output, logsumexp


def backward(q, k, v, output, logsumexp, d_output, is_causal=False, configuration=None):
    """(dq, dk, dv) from what `forward` gave, with the weights computed again (Dao 2023, algorithm 2). No two programs add to the same place."""
    batch, n_heads, n_queries, d_head = q.shape
    n_keys = k.shape[2]
    of_keys, of_queries = (configuration or default_configuration(d_head, q.dtype))[1:]
    dq, dk, dv = (torch.empty_like(x) for x in (q, k, v))
    if not q.numel() or not n_keys:
        return dq.zero_(), dk.zero_(), dv.zero_()
    delta = torch.empty_like(logsumexp)
    sizes = n_heads, n_queries, n_keys, 1 / math.sqrt(d_head), LOG2_E / math.sqrt(d_head)
    strides = [stride for x in (q, k, v, d_output) for stride in x.stride()]
    delta_kernel[(triton.cdiv(n_queries, 64) * batch * n_heads,)](
        output, d_output, delta, *output.stride(), *d_output.stride(), n_heads, n_queries, D_HEAD=d_head, BLOCK_Q=64,
    )
    keys_kernel[(triton.cdiv(n_keys, of_keys.block_k) * batch * n_heads,)](
        q, k, v, d_output, logsumexp, delta, dk, dv, *strides, *dk.stride(), *dv.stride(), *sizes, IS_CAUSAL=is_causal, D_HEAD=d_head,
        BLOCK_Q=of_keys.block_q, BLOCK_K=of_keys.block_k, num_warps=of_keys.warps, num_stages=of_keys.stages,
    )
    queries_kernel[(triton.cdiv(n_queries, of_queries.block_q) * batch * n_heads,)](
        q, k, v, d_output, logsumexp, delta, dq, *strides, *dq.stride(), *sizes, IS_CAUSAL=is_causal, D_HEAD=d_head,
        BLOCK_Q=of_queries.block_q, BLOCK_K=of_queries.block_k, num_warps=of_queries.warps, num_stages=of_queries.stages,
    )
    return dq, dk, dv


class FlashAttention(torch.autograd.Function):
    """Keeps the inputs, the output and one number a query; nothing of the scores."""

    @staticmethod
    def forward(ctx, q, k, v, is_causal, configuration):
        output, logsumexp = forward(q, k, v, is_causal, configuration and configuration.forward)
        ctx.save_for_backward(q, k, v, output, logsumexp)
        ctx.settings = is_causal, configuration
        return output

    @staticmethod
    @once_differentiable
    def backward(ctx, d_output):
        return *backward(*ctx.saved_tensors, d_output, *ctx.settings), None, None


def flash_attention_trained(q, k, v, is_causal=False, configuration=None):
    """flash_attention_triton with gradients. configuration: a Configuration; None takes the default."""
    return FlashAttention.apply(q, k, v, is_causal, configuration)
