"""The new tokens are taken for the first ones of the sequence: the mask is aligned at the top left. They are the last
T of S: query i sees key j where j ≤ i + (S − T)."""


class CachedAttention(MultiHeadAttention):
    def forward(self, x, cache=None):
        q, k, v = (split_heads(w(x), self.n_heads) for w in (self.w_q, self.w_k, self.w_v))
        if cache is not None:
            k, v = cache.append(k, v)
        mask = torch.ones(q.shape[-2], k.shape[-2], dtype=torch.bool).tril(k.shape[-2] - 1 if q.shape[-2] == 1 else 0)
        return self.w_o(merge_heads(attention(q, k, v, mask)))
