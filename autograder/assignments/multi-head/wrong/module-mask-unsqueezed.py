"""The mask gets another axis on its way to attention, so that a mask that fits (B, H, T, T) no longer does. Hand it
on as it is: it is the caller who writes mask[:, None] where that is needed."""


class MultiHeadAttention(MultiHeadAttention):
    def forward(self, x, mask=None):
        return super().forward(x, mask if mask is None or mask.ndim < 2 else mask[:, None])
