"""Each tile begins with None again, so that only the last tile counts. Begin with None once for each block of queries, and hand
the state on from tile to tile."""


def flash_forward(q, k, v, is_causal, block_q, block_k):
    dtype = working_dtype(q, k, v)
    n_queries, n_keys = q.shape[-2], k.shape[-2]
    leading = torch.broadcast_shapes(q.shape[:-2], k.shape[:-2], v.shape[:-2])
    output = torch.zeros(*leading, n_queries, v.shape[-1], dtype=result_dtype(q))
    logsumexp = torch.full((*leading, n_queries), -math.inf, dtype=dtype)
    for rows in tiles(n_queries, block_q):
        state = None
        for columns in tiles(n_keys_seen(rows, n_queries, n_keys, is_causal), block_k):
            state = online_softmax(None, tile_scores(q, k, rows, columns, is_causal, dtype), v[..., columns, :].to(dtype))
        if state is not None:
            output[..., rows, :], logsumexp[..., rows] = finish(state)
    return output, logsumexp


def flash_attention(q, k, v, is_causal=False, block_q=64, block_k=64):
    check_shapes(q, k, v)
    check_tiles(block_q, block_k)
    return Tiled.apply(q, k, v, is_causal, block_q, block_k)
