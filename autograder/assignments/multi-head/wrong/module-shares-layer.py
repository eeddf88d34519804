"""w_v is w_k under a second name: one layer with one weight, so that a token's value is always its key. Make a layer of its own for
each of the four."""


class MultiHeadAttention(MultiHeadAttention):
    def __init__(self, d_model, n_heads, bias=False):
        super().__init__(d_model, n_heads, bias)
        self.w_v = self.w_k
