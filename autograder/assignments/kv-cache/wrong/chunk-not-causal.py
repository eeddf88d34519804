"""With a cache there is no mask, so that several new tokens see each other's future. One new token needs no mask; a
piece of several does."""


class CachedAttention(MultiHeadAttention):
    def forward(self, x, cache=None):
        q, k, v = (split_heads(w(x), self.n_heads) for w in (self.w_q, self.w_k, self.w_v))
        if cache is not None:
            k, v = cache.append(k, v)
        mask = torch.ones(q.shape[-2], k.shape[-2], dtype=torch.bool).tril(k.shape[-2] - q.shape[-2])
        if cache is not None:
            mask[:] = True
        return self.w_o(merge_heads(attention(q, k, v, mask)))
