"""The module keeps the cache it was handed, and goes on with it in a call that has none. Where no cache is handed over, there is none."""

RightCachedAttention = CachedAttention


class CachedAttention(RightCachedAttention):
    kept = None

    def forward(self, x, cache=None):
        if cache is not None:
            self.kept = cache
        return super().forward(x, cache if cache is not None or self.kept is None or x.shape[0] != self.kept.keys.shape[0] else self.kept)
