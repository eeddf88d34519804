"""The scores are divided by d_head, and not by its root. A product of d_head terms grows with √d_head: divide by √d_head."""


def tile_scores(q, k, rows, columns, is_causal, dtype):
    scores = q[..., rows, :].to(dtype) @ k[..., columns, :].to(dtype).mT / q.shape[-1]
    if is_causal:
        last_seen = torch.arange(rows.start, rows.stop, device=q.device) + k.shape[-2] - q.shape[-2]
        keys = torch.arange(columns.start, columns.stop, device=q.device)
        scores = scores.masked_fill(keys > last_seen[:, None], -math.inf)
    return scores


def flash_attention(q, k, v, is_causal=False, block_q=64, block_k=64):
    check_shapes(q, k, v)
    check_tiles(block_q, block_k)
    return Tiled.apply(q, k, v, is_causal, block_q, block_k)
