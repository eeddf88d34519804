"""The input is added to the output. That is done outside, by the block of which this module is a part."""


class MultiHeadAttention(MultiHeadAttention):
    def forward(self, x, mask=None):
        return x + super().forward(x, mask)
