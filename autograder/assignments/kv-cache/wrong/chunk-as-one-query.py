"""All tokens of a piece get the output of its last one. With a cache there may be more than one query: give each its
own row."""


class CachedAttention(MultiHeadAttention):
    def forward(self, x, cache=None):
        q, k, v = (split_heads(w(x), self.n_heads) for w in (self.w_q, self.w_k, self.w_v))
        if cache is not None:
            k, v = cache.append(k, v)
        mask = torch.ones(q.shape[-2], k.shape[-2], dtype=torch.bool).tril(k.shape[-2] - q.shape[-2])
        out = self.w_o(merge_heads(attention(q, k, v, mask)))
        return out if cache is None else out[:, -1:].expand_as(out)
