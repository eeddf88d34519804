"""A tile of fewer than one row or column is let pass: a range with a negative step is empty, and the result zeros. Raise ValueError
where block_q or block_k is below 1."""


def flash_attention(q, k, v, is_causal=False, block_q=64, block_k=64):
    check_shapes(q, k, v)
    return Tiled.apply(q, k, v, is_causal, block_q, block_k)
