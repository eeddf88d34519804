"""The values are handed to `append` as keys, and the keys as values. The order is `cache.append(k, v)`."""


class CachedAttention(MultiHeadAttention):
    def forward(self, x, cache=None):
        q, k, v = (split_heads(w(x), self.n_heads) for w in (self.w_q, self.w_k, self.w_v))
        if cache is not None:
            k, v = cache.append(v, k)
        n_queries, n_keys = q.shape[-2], k.shape[-2]
        mask = torch.ones(n_queries, n_keys, dtype=torch.bool).tril(n_keys - n_queries)
        return self.w_o(merge_heads(attention(q, k, v, mask)))
