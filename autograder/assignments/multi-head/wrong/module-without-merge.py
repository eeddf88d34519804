"""w_o is called before the heads are merged, on (B, H, T, d_head). It mixes all heads of a token: `merge_heads` lays them
side by side first, (B, T, d_model)."""


class MultiHeadAttention(MultiHeadAttention):
    def forward(self, x, mask=None):
        q, k, v = (split_heads(w(x), self.n_heads) for w in (self.w_q, self.w_k, self.w_v))
        return self.w_o(attention(q, k, v, mask))
