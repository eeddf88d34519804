"""The number is right, but it is a `float`. Bytes are whole numbers: multiply whole numbers, without `/`, or divide
with `//`."""


def kv_cache_bytes(n_layers, n_kv_heads, d_head, seq_len, batch_size=1, bytes_per_element=2):
    return 2 * n_layers * n_kv_heads * d_head * seq_len * batch_size * bytes_per_element / 1
