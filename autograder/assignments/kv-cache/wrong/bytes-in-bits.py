"""The result is eight times too large, as if it were counted in bits. `bytes_per_element` says bytes already."""


def kv_cache_bytes(n_layers, n_kv_heads, d_head, seq_len, batch_size=1, bytes_per_element=2):
    return 8 * 2 * n_layers * n_kv_heads * d_head * seq_len * batch_size * bytes_per_element
