"""The mask lets through what it should forbid: tokens see those that come after them, and not those before. True means may
attend, and the lower triangle is what may be seen: `tril`, not `triu`."""


class CachedAttention(MultiHeadAttention):
    def forward(self, x, cache=None):
        q, k, v = (split_heads(w(x), self.n_heads) for w in (self.w_q, self.w_k, self.w_v))
        if cache is not None:
            k, v = cache.append(k, v)
        n_queries, n_keys = q.shape[-2], k.shape[-2]
        mask = torch.ones(n_queries, n_keys, dtype=torch.bool)
        if n_queries > 1:
            mask = mask.triu(n_keys - n_queries)
        return self.w_o(merge_heads(attention(q, k, v, mask)))
