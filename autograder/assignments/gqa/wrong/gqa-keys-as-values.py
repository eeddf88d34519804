"""The keys are handed over as values. Values come from w_v."""


class GroupedQueryAttention(GroupedQueryAttention):
    def forward(self, x, mask=None):
        q = split_heads(self.w_q(x), self.n_heads)
        k = split_heads(self.w_k(x), self.n_kv_heads)
        n_repeats = self.n_heads // self.n_kv_heads
        k = k.repeat_interleave(n_repeats, dim=1)
        return self.w_o(merge_heads(attention(q, k, k, mask)))
