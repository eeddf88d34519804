"""The last key that a block of queries sees is left out. Its last query, number rows.stop − 1, sees the key number rows.stop − 1 +
S − L and those before it, which are rows.stop + S − L keys."""


def n_keys_seen(rows, n_queries, n_keys, is_causal):
    return min(n_keys, rows.stop - 1 + n_keys - n_queries) if is_causal else n_keys


def flash_attention(q, k, v, is_causal=False, block_q=64, block_k=64):
    check_shapes(q, k, v)
    check_tiles(block_q, block_k)
    return Tiled.apply(q, k, v, is_causal, block_q, block_k)
