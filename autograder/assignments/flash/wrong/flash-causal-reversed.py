"""The causal mask is the wrong way round: a query sees its own key and those after it, and the keys before it are hidden. −∞ goes
where the key's place is larger than the last that the query may see."""


def tile_scores(q, k, rows, columns, is_causal, dtype):
    scores = q[..., rows, :].to(dtype) @ k[..., columns, :].to(dtype).mT / math.sqrt(q.shape[-1])
    if is_causal:
        last_seen = torch.arange(rows.start, rows.stop, device=q.device) + k.shape[-2] - q.shape[-2]
        keys = torch.arange(columns.start, columns.stop, device=q.device)
        scores = scores.masked_fill(keys < last_seen[:, None], -math.inf)
    return scores


def flash_attention(q, k, v, is_causal=False, block_q=64, block_k=64):
    check_shapes(q, k, v)
    check_tiles(block_q, block_k)
    return Tiled.apply(q, k, v, is_causal, block_q, block_k)
