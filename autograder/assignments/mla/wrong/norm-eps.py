"""The norm has another eps than 1e-6, which shows where a latent is small: nn.RMSNorm(d_latent, eps=1e-6)."""


class MultiHeadLatentAttention(MultiHeadLatentAttention):
    def __init__(self, d_model, n_heads, d_head, d_latent, d_rope, base=10000.0):
        super().__init__(d_model, n_heads, d_head, d_latent, d_rope, base)
        self.norm = nn.RMSNorm(d_latent)
