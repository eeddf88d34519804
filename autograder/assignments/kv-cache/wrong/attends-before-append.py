"""The new token does not see itself: it is put into the cache only after it has attended. Append first, and attend
over what comes back."""


class CachedAttention(MultiHeadAttention):
    def forward(self, x, cache=None):
        q, k, v = (split_heads(w(x), self.n_heads) for w in (self.w_q, self.w_k, self.w_v))
        if cache is not None:
            k, v = cache.append(k, v)
            k, v = k[:, :, : -q.shape[-2]], v[:, :, : -q.shape[-2]]
            if not k.shape[2]:
                return self.w_o(torch.zeros_like(x))
            return self.w_o(merge_heads(attention(q, k, v)))
        mask = torch.ones(q.shape[-2], k.shape[-2], dtype=torch.bool).tril(k.shape[-2] - q.shape[-2])
        return self.w_o(merge_heads(attention(q, k, v, mask)))
