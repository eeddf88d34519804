"""The norm is taken of x, before w_dkv. It belongs on the latent: project first, then norm."""


class MultiHeadLatentAttention(MultiHeadLatentAttention):
    def compress(self, x, positions):
        latent = self.w_dkv(x * torch.rsqrt(x.square().mean(-1, keepdim=True) + 1e-6)) * self.norm.weight
        k_rope = apply_rope(self.w_kr(x), positions, self.base, interleaved=True)
        return latent, k_rope
