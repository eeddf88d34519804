"""With more keys than queries too few keys are taken in: S − L is missing where the tiles of the future are left out. The last
query of a block sees rows.stop + S − L keys."""


def n_keys_seen(rows, n_queries, n_keys, is_causal):
    return min(n_keys, rows.stop + min(n_keys - n_queries, 0)) if is_causal else n_keys


def flash_attention(q, k, v, is_causal=False, block_q=64, block_k=64):
    check_shapes(q, k, v)
    check_tiles(block_q, block_k)
    return Tiled.apply(q, k, v, is_causal, block_q, block_k)
