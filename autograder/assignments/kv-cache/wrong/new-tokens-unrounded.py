"""The new tokens' keys and values are used as they were before they went into the cache. Where its dtype is narrower
they are rounded in it: use all that append returns, or the outputs depend on how the sequence was cut."""


class CachedAttention(MultiHeadAttention):
    def forward(self, x, cache=None):
        q, k, v = (split_heads(w(x), self.n_heads) for w in (self.w_q, self.w_k, self.w_v))
        if cache is not None:
            keys, values = cache.append(k, v)
            n_before = keys.shape[2] - k.shape[2]
            k, v = (torch.cat([held[:, :, :n_before].to(new.dtype), new], 2) for held, new in ((keys, k), (values, v)))
        mask = torch.ones(q.shape[-2], k.shape[-2], dtype=torch.bool).tril(k.shape[-2] - q.shape[-2])
        return self.w_o(merge_heads(attention(q, k, v, mask)))
