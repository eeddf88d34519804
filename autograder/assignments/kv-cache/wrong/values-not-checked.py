"""The keys' sizes are checked, and the values' are not, so that PyTorch's own error comes up, or none. Check both."""

RightKVCache = KVCache


class KVCache(RightKVCache):
    def append(self, k, v):
        check_tokens(k, k, self.keys.shape, self.length)
        if v.shape != k.shape:
            raise RuntimeError("The expanded size of the tensor must match the existing size")
        return super().append(k, v)
