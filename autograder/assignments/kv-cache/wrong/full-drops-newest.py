"""Tokens for which there is no room are dropped in silence. The next output would be that of another text: raise a
ValueError."""

RightKVCache = KVCache


class KVCache(RightKVCache):
    def append(self, k, v):
        room = self.keys.shape[2] - self.length
        return super().append(k[:, :, :room], v[:, :, :room])
