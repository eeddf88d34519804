"""The input is added to the result. That is for the layer around attention to do; the module gives what attention alone
gives."""


class MultiQueryAttention(MultiQueryAttention):
    def forward(self, x, mask=None):
        q = split_heads(self.w_q(x), self.n_heads)
        k, v = (w(x)[:, None] for w in (self.w_k, self.w_v))
        return x + self.w_o(merge_heads(attention(q, k, v, mask)))
