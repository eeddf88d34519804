"""The rotary part of the query is not turned. A score tells the distance of two tokens only if both query and key are
turned by their positions."""


class MultiHeadLatentAttention(MultiHeadLatentAttention):
    def queries(self, x, positions):
        q = split_heads(self.w_q(x), self.n_heads)
        content, rotary = q.split([self.d_head, self.d_rope], dim=-1)
        return content, rotary
