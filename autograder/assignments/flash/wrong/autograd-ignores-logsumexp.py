"""What comes back to the log-sum-exp is lost. Its derivative with respect to a score is the weight, so its gradient joins the
bracket: weight · (d_weight − delta + d_logsumexp). Without it, parts that were merged by log-sum-exp get wrong gradients."""


@torch.no_grad()
def flash_attention_backward(q, k, v, output, logsumexp, d_output, is_causal=False, block_q=64, block_k=64, d_logsumexp=None):
    check_results(q, k, v, output, logsumexp, d_output, block_q, block_k)
    dtype = working_dtype(q, k, v)
    n_queries, n_keys = q.shape[-2], k.shape[-2]
    scale = 1 / math.sqrt(q.shape[-1])
    dq, dk, dv = (torch.zeros_like(x, dtype=dtype) for x in (q, k, v))
    delta = (d_output.to(dtype) * output.to(dtype)).sum(dim=-1)
    logsumexp = logsumexp.masked_fill(logsumexp == -math.inf, 0)
    for rows in tiles(n_queries, block_q):
        q_tile, d_tile = q[..., rows, :].to(dtype), d_output[..., rows, :].to(dtype)
        for columns in tiles(n_keys_seen(rows, n_queries, n_keys, is_causal), block_k):
            k_tile, v_tile = k[..., columns, :].to(dtype), v[..., columns, :].to(dtype)
            weights = torch.exp(tile_scores(q, k, rows, columns, is_causal, dtype) - logsumexp[..., rows, None])
            d_weights = d_tile @ v_tile.mT
            d_scores = scale * weights * (d_weights - delta[..., rows, None])
            dv[..., columns, :] += (weights.mT @ d_tile).sum_to_size(v_tile.shape)
            dq[..., rows, :] += (d_scores @ k_tile).sum_to_size(q_tile.shape)
            dk[..., columns, :] += (d_scores.mT @ q_tile).sum_to_size(k_tile.shape)
    return dq.to(result_dtype(q)), dk.to(result_dtype(k)), dv.to(result_dtype(v))
