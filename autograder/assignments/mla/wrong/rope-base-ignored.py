"""The rotary parts are turned with the base 10,000, whatever the layer was given. Keep `base` in __init__, and hand it
to apply_rope."""


class MultiHeadLatentAttention(MultiHeadLatentAttention):
    def __init__(self, d_model, n_heads, d_head, d_latent, d_rope, base=10000.0):
        super().__init__(d_model, n_heads, d_head, d_latent, d_rope, base)
        self.base = 10000.0
