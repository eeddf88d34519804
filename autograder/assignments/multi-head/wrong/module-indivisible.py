"""A module whose width cannot be shared out among its heads can be made, and fails only when it is used, or loses
features. Raise ValueError in __init__ and name both numbers."""


class MultiHeadAttention(MultiHeadAttention):
    def __init__(self, d_model, n_heads, bias=False):
        nn.Module.__init__(self)
        self.n_heads = n_heads
        self.w_q, self.w_k, self.w_v, self.w_o = (nn.Linear(d_model, d_model, bias=bias) for _ in range(4))
