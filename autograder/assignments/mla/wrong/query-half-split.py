"""Queries are turned in the half-split layout, keys in the interleaved one. The pairs that meet in the product then do
not belong together: interleaved=True for both."""


class MultiHeadLatentAttention(MultiHeadLatentAttention):
    def queries(self, x, positions):
        q = split_heads(self.w_q(x), self.n_heads)
        content, rotary = q.split([self.d_head, self.d_rope], dim=-1)
        return content, apply_rope(rotary, positions, self.base)
