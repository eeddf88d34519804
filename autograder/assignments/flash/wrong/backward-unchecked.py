"""The backward pass does not look at what it is given: widths that disagree, tiles of no columns, a d_output of another shape.
Raise ValueError as the forward pass does: `check_results` is there for it."""


@torch.no_grad()
def flash_attention_backward(q, k, v, output, logsumexp, d_output, is_causal=False, block_q=64, block_k=64, d_logsumexp=None):
    dtype = working_dtype(q, k, v)
    n_queries, n_keys = q.shape[-2], k.shape[-2]
    scale = 1 / math.sqrt(q.shape[-1])
    dq, dk, dv = (torch.zeros_like(x, dtype=dtype) for x in (q, k, v))
    delta = (d_output.to(dtype) * output.to(dtype)).sum(dim=-1)
    if d_logsumexp is not None:
        delta = delta - d_logsumexp
    logsumexp = logsumexp.masked_fill(logsumexp == -math.inf, 0)
    for rows in tiles(n_queries, block_q):
        q_tile, d_tile = q[..., rows, :].to(dtype), d_output[..., rows, :].to(dtype)
        for columns in tiles(n_keys, block_k):
            k_tile, v_tile = k[..., columns, :].to(dtype), v[..., columns, :].to(dtype)
            scores = scale * q_tile @ k_tile.mT
            if is_causal:
                i = torch.arange(rows.start, rows.stop)[:, None]
                j = torch.arange(columns.start, columns.stop)
                scores = scores.masked_fill(j > i + n_keys - n_queries, -math.inf)
            weights = torch.exp(scores - logsumexp[..., rows, None])
            d_weights = d_tile @ v_tile.mT
            d_scores = weights * (d_weights - delta[..., rows, None])
            dv[..., columns, :] += (weights.mT @ d_tile).sum_to_size(v_tile.shape)
            dq[..., rows, :] += (scale * d_scores @ k_tile).sum_to_size(q_tile.shape)
            dk[..., columns, :] += (scale * d_scores.mT @ q_tile).sum_to_size(k_tile.shape)
    return dq.to(q.dtype), dk.to(k.dtype), dv.to(v.dtype)
