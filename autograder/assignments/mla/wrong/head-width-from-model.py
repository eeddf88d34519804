"""The heads are d_model / n_heads wide. In this layer d_head is an argument of its own, and n_heads · d_head need not
be d_model: w_q, w_uk, w_uv and w_o have to follow it."""


class MultiHeadLatentAttention(MultiHeadLatentAttention):
    def __init__(self, d_model, n_heads, d_head, d_latent, d_rope, base=10000.0):
        super().__init__(d_model, n_heads, d_model // n_heads, d_latent, d_rope, base)
