"""The values come from w_k. Each of the three has a layer of its own: the values have to come from w_v."""


class MultiHeadAttention(MultiHeadAttention):
    def forward(self, x, mask=None):
        q, k, v = (split_heads(w(x), self.n_heads) for w in (self.w_q, self.w_k, self.w_k))
        return self.w_o(merge_heads(attention(q, k, v, mask)))
