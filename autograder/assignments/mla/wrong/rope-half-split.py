"""The rotary parts are turned in the half-split layout, in keys and queries. Here neighbouring channels make a pair:
interleaved=True."""


class MultiHeadLatentAttention(MultiHeadLatentAttention):
    def compress(self, x, positions):
        latent = self.norm(self.w_dkv(x))
        k_rope = apply_rope(self.w_kr(x), positions, self.base)
        return latent, k_rope

    def queries(self, x, positions):
        q = split_heads(self.w_q(x), self.n_heads)
        content, rotary = q.split([self.d_head, self.d_rope], dim=-1)
        return content, apply_rope(rotary, positions, self.base)
