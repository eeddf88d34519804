"""Keys and values lie in one and the same tensor, so that the values overwrite the keys. `self.values = self.keys` gives a
tensor a second name and makes no second tensor: make two."""

RightKVCache = KVCache


class KVCache(RightKVCache):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.values = self.keys
