"""w_q, w_k and w_v are as wide as a single head. Each of them makes the numbers of all heads at once, d_model numbers
from d_model, and the heads share them out."""


class MultiHeadAttention(MultiHeadAttention):
    def __init__(self, d_model, n_heads, bias=False):
        super().__init__(d_model, n_heads, bias)
        self.w_q, self.w_k, self.w_v = (nn.Linear(d_model, d_model // n_heads, bias=bias) for _ in range(3))
