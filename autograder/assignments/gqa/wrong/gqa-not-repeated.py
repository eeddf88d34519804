"""The key/value heads are handed to attention as they are, fewer than the query heads. Give each query head its group's:
repeat keys and values n_heads // n_kv_heads times."""


class GroupedQueryAttention(GroupedQueryAttention):
    def forward(self, x, mask=None):
        q = split_heads(self.w_q(x), self.n_heads)
        k, v = (split_heads(w(x), self.n_kv_heads) for w in (self.w_k, self.w_v))
        return self.w_o(merge_heads(attention(q, k, v, mask)))
