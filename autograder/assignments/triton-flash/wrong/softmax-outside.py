"""The kernel computes the scores alone, and PyTorch does the rest with all of them in memory. The point of the kernel is that a tile of
scores is used up where it is made: take it into the running softmax there."""

@triton.jit
def scores_kernel(q_ptr, k_ptr, s_ptr, n_queries, n_keys, scale, D_HEAD: tl.constexpr, TILE: tl.constexpr):
    rows, columns, features = tl.program_id(0) * TILE + tl.arange(0, TILE), tl.program_id(1) * TILE + tl.arange(0, TILE), tl.arange(0, D_HEAD)
    q_ptr, k_ptr, s_ptr = q_ptr + tl.program_id(2) * n_queries * D_HEAD, k_ptr + tl.program_id(2) * n_keys * D_HEAD, s_ptr + tl.program_id(2) * n_queries * n_keys
    is_query, is_key = rows[:, None] < n_queries, columns[None, :] < n_keys
    q = tl.load(q_ptr + rows[:, None] * D_HEAD + features[None, :], mask=is_query, other=0.0)
    k = tl.load(k_ptr + columns[None, :] * D_HEAD + features[:, None], mask=is_key, other=0.0)
    s = tl.dot(q, k, input_precision="ieee") * scale
    tl.store(s_ptr + rows[:, None] * n_keys + columns[None, :], s, mask=is_query & is_key)


def flash_attention_triton(q, k, v, is_causal=False):
    check_inputs(q, k, v)
    batch, n_heads, n_queries, d_head = q.shape
    n_keys = k.shape[2]
    scores = torch.empty(batch, n_heads, n_queries, n_keys, device=q.device)
    grid = (triton.cdiv(n_queries, 64), triton.cdiv(n_keys, 64), batch * n_heads)
    if scores.numel():
        scores_kernel[grid](q.contiguous(), k.contiguous(), scores, n_queries, n_keys, 1 / math.sqrt(d_head), D_HEAD=d_head, TILE=64)
    if is_causal:
        mask = torch.ones(n_queries, n_keys, dtype=torch.bool, device=q.device).tril(n_keys - n_queries)
        scores = scores.masked_fill(~mask, -math.inf)
    return (torch.softmax(scores, -1).nan_to_num(0.0) @ v.float()).to(q.dtype)
