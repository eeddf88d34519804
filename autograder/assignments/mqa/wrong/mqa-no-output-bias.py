"""w_o has no bias where bias=True asks for one. It goes to all four layers."""


class MultiQueryAttention(MultiQueryAttention):
    def __init__(self, d_model, n_heads, bias=False):
        super().__init__(d_model, n_heads, bias)
        self.w_o = nn.Linear(d_model, d_model, bias=False)
