"""The place where the next tokens go moves by one with each call. A call may bring several tokens: move it by their
number, `k.shape[2]`."""

RightKVCache = KVCache


class KVCache(RightKVCache):
    def append(self, k, v):
        start = self.length
        keys, values = super().append(k, v)
        self.length = start + 1
        return keys, values
