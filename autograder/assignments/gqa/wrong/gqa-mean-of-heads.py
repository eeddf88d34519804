"""The key/value heads are averaged, and all query heads get the mean. Averaging is for making a grouped model out of
another one; here each group keeps its own keys and values."""


class GroupedQueryAttention(GroupedQueryAttention):
    def forward(self, x, mask=None):
        q = split_heads(self.w_q(x), self.n_heads)
        k, v = (split_heads(w(x), self.n_kv_heads) for w in (self.w_k, self.w_v))
        k, v = (heads.mean(dim=1, keepdim=True) for heads in (k, v))
        return self.w_o(merge_heads(attention(q, k, v, mask)))
