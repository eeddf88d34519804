"""The scores are divided by √d_model, or divided twice. The dot product of one head has d_head terms, so √d_head it is,
and `attention` has seen to it already."""


class MultiQueryAttention(MultiQueryAttention):
    def forward(self, x, mask=None):
        q = split_heads(self.w_q(x), self.n_heads)
        k, v = (w(x)[:, None] for w in (self.w_k, self.w_v))
        return self.w_o(merge_heads(attention(q / self.n_heads ** 0.5, k, v, mask)))
