"""The number of bytes comes out as a float. Multiply whole numbers, and nothing needs to be divided."""


def mla_cache_bytes(n_layers, d_latent, d_rope, seq_len, batch_size=1, bytes_per_element=2):
    return n_layers * (d_latent + d_rope) * seq_len * batch_size * bytes_per_element / 1
