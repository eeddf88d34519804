"""The layers have biases though nobody asked for them: `nn.Linear` makes one unless it is told `bias=bias`, and here
False is the default."""


class MultiQueryAttention(MultiQueryAttention):
    def __init__(self, d_model, n_heads, bias=True):
        super().__init__(d_model, n_heads, True)
