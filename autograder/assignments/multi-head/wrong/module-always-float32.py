"""The output is float32 although input and weights have another dtype. Leave the dtype to the layers and to
attention."""


class MultiHeadAttention(MultiHeadAttention):
    def forward(self, x, mask=None):
        q, k, v = (split_heads(w(x), self.n_heads) for w in (self.w_q, self.w_k, self.w_v))
        return self.w_o(merge_heads(attention(q, k, v, mask))).float()
