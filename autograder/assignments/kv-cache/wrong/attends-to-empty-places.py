"""The new tokens attend over the whole room of the cache, and the places that are still empty take a share of the weight. Use
what append gives back, and not the cache's own tensors."""


class CachedAttention(MultiHeadAttention):
    def forward(self, x, cache=None):
        q, k, v = (split_heads(w(x), self.n_heads) for w in (self.w_q, self.w_k, self.w_v))
        n_keys = k.shape[-2]
        if cache is not None:
            n_keys = cache.append(k, v)[0].shape[-2]
            k, v = cache.keys, cache.values
        mask = torch.ones(q.shape[-2], k.shape[-2], dtype=torch.bool).tril(n_keys - q.shape[-2])
        mask[:, n_keys:] = True
        return self.w_o(merge_heads(attention(q, k, v, mask)))
