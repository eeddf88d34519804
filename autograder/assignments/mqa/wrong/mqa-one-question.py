"""All query heads ask the same, the mean of their questions, and get the same answer. One key/value head answers many
different questions: only keys and values are shared."""


class MultiQueryAttention(MultiQueryAttention):
    def forward(self, x, mask=None):
        q = split_heads(self.w_q(x), self.n_heads)
        k, v = (w(x)[:, None] for w in (self.w_k, self.w_v))
        q = q.mean(dim=1, keepdim=True).expand_as(q)
        return self.w_o(merge_heads(attention(q, k, v, mask)))
