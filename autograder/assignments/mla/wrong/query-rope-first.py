"""The first d_rope numbers of each head's query are rotated. Content comes first: the first d_head numbers are
content, the last d_rope are rotated."""


class MultiHeadLatentAttention(MultiHeadLatentAttention):
    def queries(self, x, positions):
        q = split_heads(self.w_q(x), self.n_heads)
        rotary, content = q.split([self.d_rope, self.d_head], dim=-1)
        return content, apply_rope(rotary, positions, self.base, interleaved=True)
