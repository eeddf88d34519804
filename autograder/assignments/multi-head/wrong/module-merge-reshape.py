"""The heads' outputs (B, H, T, d_head) are reshaped straight to (B, T, D), which mixes up tokens. Let heads and
tokens change places first: merge_heads does it."""


class MultiHeadAttention(MultiHeadAttention):
    def forward(self, x, mask=None):
        q, k, v = (split_heads(w(x), self.n_heads) for w in (self.w_q, self.w_k, self.w_v))
        return self.w_o(attention(q, k, v, mask).reshape(x.shape))
