"""Half of the bytes are missing. A token leaves two vectors behind, a key and a value: that is the factor 2 in
front."""


def kv_cache_bytes(n_layers, n_kv_heads, d_head, seq_len, batch_size=1, bytes_per_element=2):
    return n_layers * n_kv_heads * d_head * seq_len * batch_size * bytes_per_element
