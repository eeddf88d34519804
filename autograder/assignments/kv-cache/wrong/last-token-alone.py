"""With a cache only the last token's output comes back. The outputs of all tokens that have been handed over are wanted, (B, T, D)."""

RightCachedAttention = CachedAttention


class CachedAttention(RightCachedAttention):
    def forward(self, x, cache=None):
        output = super().forward(x, cache)
        return output if cache is None else output[:, -1:]
