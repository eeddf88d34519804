"""The biases are there, and the queries, keys and values do without them. Call the layers, which add them."""


class MultiHeadAttention(MultiHeadAttention):
    def forward(self, x, mask=None):
        q, k, v = (split_heads(x @ w.weight.mT, self.n_heads) for w in (self.w_q, self.w_k, self.w_v))
        return self.w_o(merge_heads(attention(q, k, v, mask)))
