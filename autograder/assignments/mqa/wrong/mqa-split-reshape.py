"""A reshape alone makes heads of the features, so that tokens end up in the wrong heads. Split the last axis into heads
and d_head first, then let heads and tokens change places."""


class MultiQueryAttention(MultiQueryAttention):
    def forward(self, x, mask=None):
        q = self.w_q(x).reshape(x.shape[0], self.n_heads, x.shape[1], -1)
        k, v = (w(x)[:, None] for w in (self.w_k, self.w_v))
        return self.w_o(merge_heads(attention(q, k, v, mask)))
