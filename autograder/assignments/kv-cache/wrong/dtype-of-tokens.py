"""Keys and values come back in the dtype of the new tokens. The cache's own dtype counts: it is what the memory was
planned for."""

RightKVCache = KVCache


class KVCache(RightKVCache):
    def append(self, k, v):
        keys, values = super().append(k, v)
        return keys.to(k.dtype), values.to(v.dtype)
