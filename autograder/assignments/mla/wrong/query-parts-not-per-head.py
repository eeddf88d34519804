"""w_q's numbers are divided into the content of all heads and the rotary parts of all heads, and only then among the
heads. Split into heads first: each head has d_head numbers of content and its d_rope right after them."""


class MultiHeadLatentAttention(MultiHeadLatentAttention):
    def queries(self, x, positions):
        parts = self.w_q(x).split([self.n_heads * self.d_head, self.n_heads * self.d_rope], dim=-1)
        content, rotary = (split_heads(part, self.n_heads) for part in parts)
        return content, apply_rope(rotary, positions, self.base, interleaved=True)
