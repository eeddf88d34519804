"""The mean is subtracted from the latent. That is LayerNorm; RMSNorm divides by the root of the mean square and leaves
the mean alone."""


class MultiHeadLatentAttention(MultiHeadLatentAttention):
    def compress(self, x, positions):
        latent = nn.functional.layer_norm(self.w_dkv(x), (self.d_latent,), self.norm.weight, eps=1e-6)
        k_rope = apply_rope(self.w_kr(x), positions, self.base, interleaved=True)
        return latent, k_rope
