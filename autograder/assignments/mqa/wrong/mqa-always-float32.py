"""The output is float32 whatever came in. A module in float64 or bfloat16 gives its own dtype. Leave the dtype to the
layers and to `attention`."""


class MultiQueryAttention(MultiQueryAttention):
    def forward(self, x, mask=None):
        q = split_heads(self.w_q(x), self.n_heads)
        k, v = (w(x)[:, None] for w in (self.w_k, self.w_v))
        return self.w_o(merge_heads(attention(q, k, v, mask))).float()
