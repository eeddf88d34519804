"""The batch is not counted. Every sequence of a batch has a cache of its own."""


def mla_cache_bytes(n_layers, d_latent, d_rope, seq_len, batch_size=1, bytes_per_element=2):
    return n_layers * (d_latent + d_rope) * seq_len * bytes_per_element
