"""The triangle is aligned at the top left, so that a new token sees no more than the first keys. The T new tokens are the last of the
S: query i sees key j where j ≤ i + (S − T), in PyTorch `.tril(S - T)`."""


class CachedAttention(MultiHeadAttention):
    def forward(self, x, cache=None):
        q, k, v = (split_heads(w(x), self.n_heads) for w in (self.w_q, self.w_k, self.w_v))
        if cache is not None:
            k, v = cache.append(k, v)
        mask = torch.ones(q.shape[-2], k.shape[-2], dtype=torch.bool).tril()
        return self.w_o(merge_heads(attention(q, k, v, mask)))
