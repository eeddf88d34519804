"""The norm's weights have no effect. Call self.norm, which multiplies by them, in place of a norm of your own."""


class MultiHeadLatentAttention(MultiHeadLatentAttention):
    def compress(self, x, positions):
        latent = nn.functional.rms_norm(self.w_dkv(x), (self.d_latent,), eps=1e-6)
        k_rope = apply_rope(self.w_kr(x), positions, self.base, interleaved=True)
        return latent, k_rope
