"""The bytes are those of one sequence. Sequences that are written side by side share no keys and values: multiply by
batch_size."""


def kv_cache_bytes(n_layers, n_kv_heads, d_head, seq_len, batch_size=1, bytes_per_element=2):
    return 2 * n_layers * n_kv_heads * d_head * seq_len * bytes_per_element
