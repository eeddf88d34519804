"""Keys and values are split into as many heads as there are query heads, and become too narrow for them. There is one key/value
head: do not split it, give it an axis of size 1."""


class MultiQueryAttention(MultiQueryAttention):
    def forward(self, x, mask=None):
        q = split_heads(self.w_q(x), self.n_heads)
        k, v = (split_heads(w(x), self.n_heads) for w in (self.w_k, self.w_v))
        return self.w_o(merge_heads(attention(q, k, v, mask)))
