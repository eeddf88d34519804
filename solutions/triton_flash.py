"""FlashAttention's forward pass as a Triton kernel (Dao 2023, algorithm 1)."""

import math

import torch
import triton
import triton.language as tl

D_HEADS = (32, 64, 128)
DTYPES = (torch.float16, torch.bfloat16, torch.float32)
LOG2_E = math.log2(math.e)


@triton.jit
def attend_tile(largest, total, weighted, q, k, v, allowed, scale):
    """Take one more tile of keys and values into the running softmax of some queries (Milakov & Gimelshein 2018, algorithm 3).

    largest, total (BLOCK_Q,) and weighted (BLOCK_Q, Dh): the largest score so far and the sums of 2^(score − largest), alone and times the values, in
    float32; −∞, 0 and 0 where nothing has been seen. q (BLOCK_Q, Dh), k (Dh, BLOCK_K), v (BLOCK_K, Dh). allowed: which query may see which key,
    broadcastable to (BLOCK_Q, BLOCK_K). scale: what the products are multiplied by to be scores. Returns the new (largest, total, weighted).
    """
    scores = tl.dot(q, k, input_precision="ieee") * scale  # (BLOCK_Q, BLOCK_K), in float32
    scores = tl.where(allowed, scores, -float("inf"))
    new = tl.maximum(largest, tl.max(scores, 1))
    shift = tl.where(new == -float("inf"), 0.0, new)  # −∞ − (−∞) would be NaN
    powers = tl.exp2(scores - shift[:, None])
    shrink = tl.exp2(largest - shift)
    total = total * shrink + tl.sum(powers, 1)
    weighted = weighted * shrink[:, None] + tl.dot(powers.to(v.dtype), v, input_precision="ieee")
    return new, total, weighted


@triton.jit
def flash_kernel(
    q_ptr, k_ptr, v_ptr, out_ptr,
    q_stride_b, q_stride_h, q_stride_t, q_stride_d,
    k_stride_b, k_stride_h, k_stride_t, k_stride_d,
    v_stride_b, v_stride_h, v_stride_t, v_stride_d,
    out_stride_b, out_stride_h, out_stride_t, out_stride_d,
    n_heads, n_queries, n_keys, scale,
    IS_CAUSAL: tl.constexpr, D_HEAD: tl.constexpr, BLOCK_Q: tl.constexpr, BLOCK_K: tl.constexpr,
):
    """One program: BLOCK_Q queries of one head of one sequence against all keys that they may see, a tile of BLOCK_K at a time.

    scale: log₂e / √Dh, so that powers of two, which the hardware computes, stand in for powers of e. The grid has one dimension, as the
    others end at 65,535; neighbours in it are blocks of the same head, which find each other's keys and values in the cache.
    """
    n_blocks = tl.cdiv(n_queries, BLOCK_Q)
    block, pair = tl.program_id(0) % n_blocks, tl.program_id(0) // n_blocks
    batch, head = (pair // n_heads).to(tl.int64), (pair % n_heads).to(tl.int64)  # an offset may be larger than 32 bits hold
    first = block * BLOCK_Q
    in_q, in_k, features = tl.arange(0, BLOCK_Q), tl.arange(0, BLOCK_K), tl.arange(0, D_HEAD)
    rows = first + in_q
    is_query = rows[:, None] < n_queries
    q_ptr += batch * q_stride_b + head * q_stride_h + first.to(tl.int64) * q_stride_t
    k_ptr += batch * k_stride_b + head * k_stride_h
    v_ptr += batch * v_stride_b + head * v_stride_h
    out_ptr += batch * out_stride_b + head * out_stride_h + first.to(tl.int64) * out_stride_t
    q = tl.load(q_ptr + in_q[:, None] * q_stride_t + features[None, :] * q_stride_d, mask=is_query, other=0.0)  # (BLOCK_Q, Dh)

    largest = tl.full((BLOCK_Q,), -float("inf"), tl.float32)
    total = tl.zeros((BLOCK_Q,), tl.float32)
    weighted = tl.zeros((BLOCK_Q, D_HEAD), tl.float32)
    offset = n_keys - n_queries  # the last query sees every key
    seen = n_keys
    if IS_CAUSAL:
        seen = tl.minimum(n_keys, tl.minimum(first + BLOCK_Q, n_queries) + offset)  # tiles beyond are not looked at
    for start in range(0, seen, BLOCK_K):
        columns = start + in_k
        is_key = columns < n_keys
        k = tl.load(k_ptr + in_k[None, :] * k_stride_t + features[:, None] * k_stride_d, mask=is_key[None, :], other=0.0)  # (Dh, BLOCK_K)
        v = tl.load(v_ptr + in_k[:, None] * v_stride_t + features[None, :] * v_stride_d, mask=is_key[:, None], other=0.0)  # (BLOCK_K, Dh)
        allowed = is_key[None, :]
        if IS_CAUSAL:
            allowed = allowed & (columns[None, :] <= rows[:, None] + offset)
        largest, total, weighted = attend_tile(largest, total, weighted, q, k, v, allowed, scale)
        k_ptr += BLOCK_K * k_stride_t
        v_ptr += BLOCK_K * v_stride_t
    output = weighted / tl.where(total == 0.0, 1.0, total)[:, None]
    place = out_ptr + in_q[:, None] * out_stride_t + features[None, :] * out_stride_d
    tl.store(place, output.to(out_ptr.dtype.element_ty), mask=is_query)


def flash_attention_triton(q, k, v, is_causal=False):
    """Attention in one kernel, which keeps no scores (Dao 2023, algorithm 1).

    q (B, H, L, Dh), k and v (B, H, S, Dh): float16, bfloat16 or float32, Dh 32, 64 or 128; on a GPU, or on the CPU in Triton's interpreter.
    is_causal: query i sees key j where j ≤ i + (S − L). Returns (B, H, L, Dh) in q's dtype; float32 is multiplied without TF32.
    Raises ValueError where shapes disagree, naming the two numbers, or Dh is another one, and TypeError for other dtypes.
    """
    check_inputs(q, k, v)
    batch, n_heads, n_queries, d_head = q.shape
    output = torch.empty_like(q)
    block_q, block_k = tile_sizes(d_head, q.dtype)
    grid = (triton.cdiv(n_queries, block_q) * batch * n_heads,)
    if output.numel():
        flash_kernel[grid](
            q, k, v, output, *q.stride(), *k.stride(), *v.stride(), *output.stride(),
            n_heads, n_queries, k.shape[2], LOG2_E / math.sqrt(d_head),
            IS_CAUSAL=is_causal, D_HEAD=d_head, BLOCK_Q=block_q, BLOCK_K=block_k, num_warps=warps(q.dtype),
        )
    return output


def tile_sizes(d_head, dtype):
    """(BLOCK_Q, BLOCK_K): what fits into the registers and the shared memory of one program."""
    return (64, 32) if dtype == torch.float32 else (128, 64) if d_head < 128 else (64, 64)


def warps(dtype):
    """Warps to a program. float32 is multiplied outside the tensor cores and needs more registers than the threads of 4 have."""
    return 8 if dtype == torch.float32 else 4


def check_inputs(q, k, v):
    """Raise ValueError or TypeError unless the kernel can take these tensors."""
    for name, x in (("q", q), ("k", k), ("v", v)):
        if x.dim() != 4:
            raise ValueError(f"{name} has {x.dim()} dimensions, and 4 are needed: (B, H, T, Dh)")
        if x.dtype not in DTYPES or x.dtype != q.dtype:
            raise TypeError(f"q, k and v are all float16, bfloat16 or float32; {name} is {x.dtype}, q is {q.dtype}")
    if q.shape[-1] != k.shape[-1] or q.shape[-1] != v.shape[-1]:
        raise ValueError(f"queries have d_head {q.shape[-1]}, keys have {k.shape[-1]}, values {v.shape[-1]}")
    if k.shape[2] != v.shape[2]:
        raise ValueError(f"there are {k.shape[2]} keys, but {v.shape[2]} values")
    if q.shape[:2] != k.shape[:2] or q.shape[:2] != v.shape[:2]:
        raise ValueError(f"batch and heads disagree: {tuple(q.shape[:2])}, {tuple(k.shape[:2])}, {tuple(v.shape[:2])}")
    if q.shape[-1] not in D_HEADS:
        raise ValueError(f"d_head is 32, 64 or 128 here, and not {q.shape[-1]}")
