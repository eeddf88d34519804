"""The axis of size 1 stands behind the tokens, so that each token is taken for a head. It stands where the others have their
heads, before the tokens: (B, 1, T, d_head)."""


class MultiQueryAttention(MultiQueryAttention):
    def forward(self, x, mask=None):
        q = split_heads(self.w_q(x), self.n_heads)
        k, v = (w(x)[:, :, None] for w in (self.w_k, self.w_v))
        return self.w_o(merge_heads(attention(q, k, v, mask)))
