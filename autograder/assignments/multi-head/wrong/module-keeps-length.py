"""The number of tokens of the first call is kept, and a sequence of another length fails. Take the sizes from x in
each call."""


class MultiHeadAttention(MultiHeadAttention):
    def forward(self, x, mask=None):
        if not hasattr(self, "n_tokens"):
            self.n_tokens = x.shape[1]
        q, k, v = (w(x).reshape(x.shape[0], self.n_tokens, self.n_heads, -1).transpose(1, 2) for w in (self.w_q, self.w_k, self.w_v))
        return self.w_o(merge_heads(attention(q, k, v, mask)))
