"""Keys and values have no axis for the heads, or have it in front of the batch, so that the batch is laid along the query heads:
with one sequence nobody notices, with several it fails or answers from another sequence. It stands behind the batch, (B, 1, T, d_head)."""


class MultiQueryAttention(MultiQueryAttention):
    def forward(self, x, mask=None):
        q = split_heads(self.w_q(x), self.n_heads)
        k, v = (w(x) for w in (self.w_k, self.w_v))
        return self.w_o(merge_heads(attention(q, k, v, mask)))
