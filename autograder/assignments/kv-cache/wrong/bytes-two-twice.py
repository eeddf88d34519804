"""A key and a value are counted twice over: the first line has a factor 2 for them already."""


def kv_cache_bytes(n_layers, n_kv_heads, d_head, seq_len, batch_size=1, bytes_per_element=2):
    return 2 * 2 * n_layers * n_kv_heads * d_head * seq_len * batch_size * bytes_per_element
