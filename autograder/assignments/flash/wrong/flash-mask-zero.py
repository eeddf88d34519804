"""What a query may not see gets the score 0. The exponential of 0 is 1, so such keys count, and often much. Their score is −∞,
whose exponential is 0."""


def tile_scores(q, k, rows, columns, is_causal, dtype):
    scores = q[..., rows, :].to(dtype) @ k[..., columns, :].to(dtype).mT / math.sqrt(q.shape[-1])
    if is_causal:
        last_seen = torch.arange(rows.start, rows.stop, device=q.device) + k.shape[-2] - q.shape[-2]
        keys = torch.arange(columns.start, columns.stop, device=q.device)
        scores = scores.masked_fill(keys > last_seen[:, None], 0)
    return scores


def flash_attention(q, k, v, is_causal=False, block_q=64, block_k=64):
    check_shapes(q, k, v)
    check_tiles(block_q, block_k)
    return Tiled.apply(q, k, v, is_causal, block_q, block_k)
