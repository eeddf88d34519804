"""Keys and values are split into as many heads as there are query heads, so that their heads become too narrow, or cannot be
shared out. They have n_kv_heads heads."""


class GroupedQueryAttention(GroupedQueryAttention):
    def forward(self, x, mask=None):
        q = split_heads(self.w_q(x), self.n_heads)
        k, v = (split_heads(w(x), self.n_heads) for w in (self.w_k, self.w_v))
        k, v = (heads.repeat_interleave(self.n_heads // self.n_kv_heads, dim=1) for heads in (k, v))
        return self.w_o(merge_heads(attention(q, k, v, mask)))
