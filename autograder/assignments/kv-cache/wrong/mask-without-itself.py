"""No token sees itself: the mask is off by one. Query i sees key j where j ≤ i + (S − T), the diagonal included."""


class CachedAttention(MultiHeadAttention):
    def forward(self, x, cache=None):
        q, k, v = (split_heads(w(x), self.n_heads) for w in (self.w_q, self.w_k, self.w_v))
        if cache is not None:
            k, v = cache.append(k, v)
        mask = torch.ones(q.shape[-2], k.shape[-2], dtype=torch.bool).tril(k.shape[-2] - q.shape[-2] - 1)
        return self.w_o(merge_heads(attention(q, k, v, mask)))
