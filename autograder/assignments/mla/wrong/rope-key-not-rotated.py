"""The rotary key is cached as w_kr gives it. Turn it by its token's position before it is cached; a cached key is
never touched again."""


class MultiHeadLatentAttention(MultiHeadLatentAttention):
    def compress(self, x, positions):
        latent = self.norm(self.w_dkv(x))
        k_rope = self.w_kr(x)
        return latent, k_rope
