"""The result is twice as large as it should be. There is no second array for the values: keys and values are both made
of the one latent."""


def mla_cache_bytes(n_layers, d_latent, d_rope, seq_len, batch_size=1, bytes_per_element=2):
    return 2 * n_layers * (d_latent + d_rope) * seq_len * batch_size * bytes_per_element
