"""The tokens of a longer piece see each other, and none of those that are in the cache already. Earlier tokens are
seen by all."""


class CachedAttention(MultiHeadAttention):
    def forward(self, x, cache=None):
        q, k, v = (split_heads(w(x), self.n_heads) for w in (self.w_q, self.w_k, self.w_v))
        if cache is not None:
            k, v = cache.append(k, v)
        mask = torch.ones(q.shape[-2], k.shape[-2], dtype=torch.bool).tril(k.shape[-2] - q.shape[-2])
        if cache is not None and q.shape[-2] > 1:
            mask[:, : -q.shape[-2]] = False
        return self.w_o(merge_heads(attention(q, k, v, mask)))
