"""w_o is called before the heads are merged, on (B, H, T, d_head). It mixes all heads of a token: `merge_heads` lays them
side by side first, (B, T, d_model)."""


class MultiQueryAttention(MultiQueryAttention):
    def forward(self, x, mask=None):
        q = split_heads(self.w_q(x), self.n_heads)
        k, v = (w(x)[:, None] for w in (self.w_k, self.w_v))
        return self.w_o(attention(q, k, v, mask))
