"""The mask has no effect: hand it on to attention."""


class MultiHeadAttention(MultiHeadAttention):
    def forward(self, x, mask=None):
        return super().forward(x)
