"""The biases are there, but the queries, keys and values are computed without them. Call the layers, as in
`self.w_q(x)`, and do not multiply by their weights alone."""


class GroupedQueryAttention(GroupedQueryAttention):
    def forward(self, x, mask=None):
        q = split_heads(x @ self.w_q.weight.mT, self.n_heads)
        k, v = (split_heads(x @ w.weight.mT, self.n_kv_heads) for w in (self.w_k, self.w_v))
        n_repeats = self.n_heads // self.n_kv_heads
        k, v = (heads.repeat_interleave(n_repeats, dim=1) for heads in (k, v))
        return self.w_o(merge_heads(attention(q, k, v, mask)))
