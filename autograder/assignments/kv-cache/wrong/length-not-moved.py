"""`self.length` is not moved on, so that the next call writes over the first places. After writing, add the number of new tokens to it."""

RightKVCache = KVCache


class KVCache(RightKVCache):
    def append(self, k, v):
        result = super().append(k, v)
        self.length = 0
        return result
