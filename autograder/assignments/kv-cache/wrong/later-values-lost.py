"""From the second call on the new values are not kept; in their place stand zeros. Write the keys and the values,
each time, at the same places."""

RightKVCache = KVCache


class KVCache(RightKVCache):
    def append(self, k, v):
        start = self.length
        keys, values = super().append(k, v)
        if start:
            values[:, :, start:] = 0
        return keys, values
