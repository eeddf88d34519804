"""The bytes are those of a single layer. Each layer has keys and values of its own: multiply by n_layers."""


def kv_cache_bytes(n_layers, n_kv_heads, d_head, seq_len, batch_size=1, bytes_per_element=2):
    return 2 * n_kv_heads * d_head * seq_len * batch_size * bytes_per_element
