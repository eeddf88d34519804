"""Query head h takes key/value head h modulo n_kv_heads, so that the groups are interleaved. They are consecutive: with
6 query heads and 2 groups, query heads 0, 1 and 2 share head 0."""


class GroupedQueryAttention(GroupedQueryAttention):
    def forward(self, x, mask=None):
        q = split_heads(self.w_q(x), self.n_heads)
        k, v = (split_heads(w(x), self.n_kv_heads) for w in (self.w_k, self.w_v))
        n_repeats = self.n_heads // self.n_kv_heads
        k, v = (heads.repeat(1, n_repeats, 1, 1) for heads in (k, v))
        return self.w_o(merge_heads(attention(q, k, v, mask)))
