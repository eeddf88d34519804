"""The queries are rounded to the cache's dtype, and the outputs with them. The cache's dtype is for keeping: leave q as
it is; `attention` takes keys and values of another dtype."""


class CachedAttention(MultiHeadAttention):
    def forward(self, x, cache=None):
        q, k, v = (split_heads(w(x), self.n_heads) for w in (self.w_q, self.w_k, self.w_v))
        if cache is not None:
            k, v = cache.append(k, v)
        mask = torch.ones(q.shape[-2], k.shape[-2], dtype=torch.bool).tril(k.shape[-2] - q.shape[-2])
        return self.w_o(merge_heads(attention(q.to(k.dtype), k, v, mask)).to(x.dtype))
