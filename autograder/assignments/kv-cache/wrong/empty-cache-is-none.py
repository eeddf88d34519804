"""An empty cache is passed over, so that nothing ever gets into it. `if cache:` asks for its length, and 0 counts as
False: ask `if cache is not None`."""


class CachedAttention(MultiHeadAttention):
    def forward(self, x, cache=None):
        q, k, v = (split_heads(w(x), self.n_heads) for w in (self.w_q, self.w_k, self.w_v))
        if cache:
            k, v = cache.append(k, v)
        mask = torch.ones(q.shape[-2], k.shape[-2], dtype=torch.bool).tril(k.shape[-2] - q.shape[-2])
        return self.w_o(merge_heads(attention(q, k, v, mask)))
