"""The number of heads is not compared with the cache's, so that PyTorch's own error comes up, or one head is copied into all places.
Check axis 1 like the others."""

RightKVCache = KVCache


class KVCache(RightKVCache):
    def append(self, k, v):
        if k.shape[1] != self.keys.shape[1] and k.shape[1] == v.shape[1]:
            k, v = (x[:, :1].expand(-1, self.keys.shape[1], -1, -1) for x in (k, v))
        return super().append(k, v)
