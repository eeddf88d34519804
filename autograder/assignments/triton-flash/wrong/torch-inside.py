"""A kernel calls PyTorch. The interpreter is Python and lets it pass, but the compiler rejects it: inside a kernel there are addresses
and tiles, and nothing but `tl` works on them."""

def by_pytorch(q, k, scale):
    q, k = (torch.from_numpy(tl.trans(x).handle.data.astype("float32").copy()) for x in (q, k))
    product = (q.T @ k.T) * float(scale.handle.data[0])
    handle = type(scale.handle)(product.numpy(), tl.float32)
    return tl.tensor(handle, tl.block_type(tl.float32, list(product.shape)))


@triton.jit
def attend_tile(largest, total, weighted, q, k, v, allowed, scale):
    scores = by_pytorch(q, k, scale)
    scores = tl.where(allowed, scores, -float("inf"))
    new = tl.maximum(largest, tl.max(scores, 1))
    shift = tl.where(new == -float("inf"), 0.0, new)  # −∞ − (−∞) would be NaN
    powers = tl.exp2(scores - shift[:, None])
    shrink = tl.exp2(largest - shift)
    total = total * shrink + tl.sum(powers, 1)
    weighted = weighted * shrink[:, None] + tl.dot(powers.to(v.dtype), v, input_precision="ieee")
    return new, total, weighted


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
