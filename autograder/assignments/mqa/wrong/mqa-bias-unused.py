"""The biases are there, but the queries, keys and values are computed without them. Call the layers, as in
`self.w_q(x)`, and do not multiply by their weights alone."""


class MultiQueryAttention(MultiQueryAttention):
    def forward(self, x, mask=None):
        q = split_heads(x @ self.w_q.weight.mT, self.n_heads)
        k, v = ((x @ w.weight.mT)[:, None] for w in (self.w_k, self.w_v))
        return self.w_o(merge_heads(attention(q, k, v, mask)))
