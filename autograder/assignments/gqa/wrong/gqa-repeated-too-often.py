"""Each key/value head is repeated n_kv_heads times, and it should be as often as a group has query heads: n_heads //
n_kv_heads times."""


class GroupedQueryAttention(GroupedQueryAttention):
    def forward(self, x, mask=None):
        q = split_heads(self.w_q(x), self.n_heads)
        k, v = (split_heads(w(x), self.n_kv_heads) for w in (self.w_k, self.w_v))
        k, v = (heads.repeat_interleave(self.n_kv_heads, dim=1) for heads in (k, v))
        return self.w_o(merge_heads(attention(q, k, v, mask)))
