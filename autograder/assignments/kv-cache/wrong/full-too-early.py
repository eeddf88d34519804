"""The last place of the cache is never used: it says that it is full when one more token would fit. max_len tokens
fit; only more than that are too many."""

RightKVCache = KVCache


class KVCache(RightKVCache):
    def append(self, k, v):
        if self.length + k.shape[2] >= self.keys.shape[2]:
            raise ValueError(f"{self.length} + {k.shape[2]} = {self.length + k.shape[2]} tokens do not fit, max_len {self.keys.shape[2]}")
        return super().append(k, v)
