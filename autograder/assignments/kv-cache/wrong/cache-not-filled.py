"""The outputs use the cache, and the new tokens are not kept in it: the next call will not find them. Hand them over
by append."""


class CachedAttention(MultiHeadAttention):
    def forward(self, x, cache=None):
        q, k, v = (split_heads(w(x), self.n_heads) for w in (self.w_q, self.w_k, self.w_v))
        if cache is not None:
            before = cache.length
            k, v = cache.append(k, v)
            cache.length = before
        mask = torch.ones(q.shape[-2], k.shape[-2], dtype=torch.bool).tril(k.shape[-2] - q.shape[-2])
        return self.w_o(merge_heads(attention(q, k, v, mask)))
