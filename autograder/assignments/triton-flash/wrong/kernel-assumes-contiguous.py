"""The numbers of a row are taken to lie side by side, and the rows right after one another. A transposed tensor is laid
out otherwise: use all four strides that PyTorch gives, the one of the features too."""

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
    n_blocks = tl.cdiv(n_queries, BLOCK_Q)
    block, pair = tl.program_id(0) % n_blocks, tl.program_id(0) // n_blocks
    batch, head = (pair // n_heads).to(tl.int64), (pair % n_heads).to(tl.int64)  # an offset may be larger than 32 bits hold
    first = block * BLOCK_Q
    in_q, in_k, features = tl.arange(0, BLOCK_Q), tl.arange(0, BLOCK_K), tl.arange(0, D_HEAD)
    rows = first + in_q
    is_query = rows[:, None] < n_queries
    q_ptr += batch * q_stride_b + head * q_stride_h + first.to(tl.int64) * D_HEAD
    k_ptr += batch * k_stride_b + head * k_stride_h
    v_ptr += batch * v_stride_b + head * v_stride_h
    out_ptr += batch * out_stride_b + head * out_stride_h + first.to(tl.int64) * out_stride_t
    q = tl.load(q_ptr + in_q[:, None] * D_HEAD + features[None, :], mask=is_query, other=0.0)  # (BLOCK_Q, Dh)

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
        k = tl.load(k_ptr + in_k[None, :] * D_HEAD + features[:, None], mask=is_key[None, :], other=0.0)  # (Dh, BLOCK_K)
        v = tl.load(v_ptr + in_k[:, None] * v_stride_t + features[None, :] * v_stride_d, mask=is_key[:, None], other=0.0)  # (BLOCK_K, Dh)
        allowed = is_key[None, :]
        if IS_CAUSAL:
            allowed = allowed & (columns[None, :] <= rows[:, None] + offset)
        largest, total, weighted = attend_tile(largest, total, weighted, q, k, v, allowed, scale)
        k_ptr += BLOCK_K * D_HEAD
        v_ptr += BLOCK_K * v_stride_t
    output = weighted / tl.where(total == 0.0, 1.0, total)[:, None]
    place = out_ptr + in_q[:, None] * out_stride_t + features[None, :] * out_stride_d
    tl.store(place, output.to(out_ptr.dtype.element_ty), mask=is_query)


def flash_attention_triton(q, k, v, is_causal=False):
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
