"""The heads take the features in turn, and not in runs of d_head neighbours. Use split_heads and merge_heads:
weights from elsewhere have the features of a head side by side."""


class MultiHeadAttention(MultiHeadAttention):
    def forward(self, x, mask=None):
        q, k, v = (w(x).unflatten(-1, (-1, self.n_heads)).permute(0, 3, 1, 2) for w in (self.w_q, self.w_k, self.w_v))
        return self.w_o(attention(q, k, v, mask).permute(0, 2, 3, 1).flatten(-2))
