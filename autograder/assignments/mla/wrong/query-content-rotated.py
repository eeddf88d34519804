"""The content of the query is turned too. Only the last d_rope numbers of each head's query are turned."""


class MultiHeadLatentAttention(MultiHeadLatentAttention):
    def queries(self, x, positions):
        q = split_heads(self.w_q(x), self.n_heads)
        content, rotary = q.split([self.d_head, self.d_rope], dim=-1)
        return tuple(apply_rope(part, positions, self.base, interleaved=True) for part in (content, rotary))
