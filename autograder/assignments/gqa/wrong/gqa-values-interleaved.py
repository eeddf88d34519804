"""Keys go to consecutive groups of query heads and values to interleaved ones: a query is answered by one head's keys
and handed another head's values. Repeat both in the same way."""


class GroupedQueryAttention(GroupedQueryAttention):
    def forward(self, x, mask=None):
        q = split_heads(self.w_q(x), self.n_heads)
        k, v = (split_heads(w(x), self.n_kv_heads) for w in (self.w_k, self.w_v))
        n_repeats = self.n_heads // self.n_kv_heads
        k, v = k.repeat_interleave(n_repeats, dim=1), v.repeat(1, n_repeats, 1, 1)
        return self.w_o(merge_heads(attention(q, k, v, mask)))
