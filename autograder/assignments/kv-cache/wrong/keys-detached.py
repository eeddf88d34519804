"""`detach()` or `.data` cuts the keys and values off, so that no gradient reaches `w_k` and `w_v`. In training it has to: attend to k
and v as they are where there is no cache."""


class CachedAttention(MultiHeadAttention):
    def forward(self, x, cache=None):
        q, k, v = (split_heads(w(x), self.n_heads) for w in (self.w_q, self.w_k, self.w_v))
        k, v = k.detach(), v.detach()
        if cache is not None:
            k, v = cache.append(k, v)
        n_queries, n_keys = q.shape[-2], k.shape[-2]
        mask = torch.ones(n_queries, n_keys, dtype=torch.bool).tril(n_keys - n_queries)
        return self.w_o(merge_heads(attention(q, k, v, mask)))
