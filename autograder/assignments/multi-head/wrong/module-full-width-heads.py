"""Each head has the width of the whole model, so that queries, keys and values are n_heads times too wide. The
heads share out d_model among them: every layer goes from d_model to d_model."""


class MultiHeadAttention(MultiHeadAttention):
    def __init__(self, d_model, n_heads, bias=False):
        super().__init__(d_model, n_heads, bias)
        self.w_q, self.w_k, self.w_v = (nn.Linear(d_model, n_heads * d_model, bias=bias) for _ in range(3))
        self.w_o = nn.Linear(n_heads * d_model, d_model, bias=bias)
