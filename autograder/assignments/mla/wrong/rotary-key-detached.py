"""No gradient passes through the rotary key, so that w_kr is not trained. Do not detach it, and do not compute it
under no_grad."""


class MultiHeadLatentAttention(MultiHeadLatentAttention):
    def compress(self, x, positions):
        latent = self.norm(self.w_dkv(x))
        k_rope = apply_rope(self.w_kr(x).detach(), positions, self.base, interleaved=True)
        return latent, k_rope
