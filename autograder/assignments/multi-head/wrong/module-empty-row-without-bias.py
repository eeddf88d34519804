"""A token that may see nothing is set to zero after w_o. Its heads give zeros, and w_o makes its bias of them, as
it does for every layer that has one."""


class MultiHeadAttention(MultiHeadAttention):
    def forward(self, x, mask=None):
        output = super().forward(x, mask)
        if mask is not None:
            output = output * mask.expand(x.shape[0], self.n_heads, x.shape[1], x.shape[1]).any(dim=-1).any(dim=1)[..., None]
        return output
