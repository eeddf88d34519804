"""With bias=True the output layer w_o has no bias. Hand `bias` on to all four layers."""


class MultiHeadAttention(MultiHeadAttention):
    def __init__(self, d_model, n_heads, bias=False):
        super().__init__(d_model, n_heads, bias)
        self.w_o = nn.Linear(d_model, d_model, bias=False)
