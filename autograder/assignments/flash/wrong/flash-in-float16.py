"""Queries and keys are multiplied in their own dtype. In float16 the product of two numbers of a few hundred overflows,
and sums lose their small terms. Turn each tile into working_dtype(q, k, v) first."""


def flash_forward(q, k, v, is_causal, block_q, block_k):
    dtype = working_dtype(q, k, v)
    n_queries, n_keys = q.shape[-2], k.shape[-2]
    leading = torch.broadcast_shapes(q.shape[:-2], k.shape[:-2], v.shape[:-2])
    output = torch.zeros(*leading, n_queries, v.shape[-1], dtype=result_dtype(q))
    logsumexp = torch.full((*leading, n_queries), -math.inf, dtype=dtype)
    for rows in tiles(n_queries, block_q):
        state = None
        for columns in tiles(n_keys, block_k):
            scores = (q[..., rows, :] @ k[..., columns, :].mT).to(dtype) / math.sqrt(q.shape[-1])
            if is_causal:
                i = torch.arange(rows.start, rows.stop)[:, None]
                j = torch.arange(columns.start, columns.stop)
                scores = scores.masked_fill(j > i + n_keys - n_queries, -math.inf)
            state = online_softmax(state, scores, v[..., columns, :].to(dtype))
        output[..., rows, :], logsumexp[..., rows] = finish(state)
    return output, logsumexp


def flash_attention(q, k, v, is_causal=False, block_q=64, block_k=64):
    check_shapes(q, k, v)
    check_tiles(block_q, block_k)
    return Tiled.apply(q, k, v, is_causal, block_q, block_k)
