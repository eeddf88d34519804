"""The outputs are those of the new tokens by themselves: what the cache gives back is not used. Attend over the keys
and values that append returns."""


class CachedAttention(MultiHeadAttention):
    def forward(self, x, cache=None):
        q, k, v = (split_heads(w(x), self.n_heads) for w in (self.w_q, self.w_k, self.w_v))
        if cache is not None:
            cache.append(k, v)
        mask = torch.ones(q.shape[-2], k.shape[-2], dtype=torch.bool).tril(k.shape[-2] - q.shape[-2])
        return self.w_o(merge_heads(attention(q, k, v, mask)))
