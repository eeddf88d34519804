"""The scores are divided by √d_model. A head's dot products have d_head terms, and √d_head is the scale."""


class MultiHeadAttention(MultiHeadAttention):
    def forward(self, x, mask=None):
        q, k, v = (split_heads(w(x), self.n_heads) for w in (self.w_q, self.w_k, self.w_v))
        q = q * math.sqrt(q.shape[-1] / x.shape[-1])
        return self.w_o(merge_heads(attention(q, k, v, mask)))
