"""There is no norm. `norm` is nn.RMSNorm(d_latent, eps=1e-6), and its weights are learnt with the others."""


class MultiHeadLatentAttention(MultiHeadLatentAttention):
    def __init__(self, d_model, n_heads, d_head, d_latent, d_rope, base=10000.0):
        super().__init__(d_model, n_heads, d_head, d_latent, d_rope, base)
        del self.norm

    def compress(self, x, positions):
        return self.w_dkv(x), apply_rope(self.w_kr(x), positions, self.base, interleaved=True)
