"""Queries, keys and values are reshaped straight to (B, H, T, d_head), which mixes up tokens and heads. Use
split_heads."""


class MultiHeadAttention(MultiHeadAttention):
    def forward(self, x, mask=None):
        q, k, v = (w(x).reshape(x.shape[0], self.n_heads, x.shape[1], -1) for w in (self.w_q, self.w_k, self.w_v))
        return self.w_o(merge_heads(attention(q, k, v, mask)))
