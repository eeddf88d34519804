"""Each head takes every H-th number of w_q's. A head's numbers stand in a row: split_heads, or unflatten into
(n_heads, d_head + d_rope) in this order."""


class MultiHeadLatentAttention(MultiHeadLatentAttention):
    def queries(self, x, positions):
        q = self.w_q(x).unflatten(-1, (-1, self.n_heads)).movedim(-1, 1)
        content, rotary = q.split([self.d_head, self.d_rope], dim=-1)
        return content, apply_rope(rotary, positions, self.base, interleaved=True)
