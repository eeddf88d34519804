"""Query heads that cannot be shared out evenly among the key/value heads go unnoticed: the division drops a remainder,
and some heads have no keys or an error comes later. Raise a ValueError, which names both numbers, when the module is
made."""


class GroupedQueryAttention(GroupedQueryAttention):
    def __init__(self, d_model, n_heads, n_kv_heads, bias=False):
        super().__init__(d_model, n_heads, n_heads, bias)
        self.n_kv_heads = max(n_kv_heads, 1)
        self.w_k, self.w_v = (nn.Linear(d_model, self.n_kv_heads * (d_model // n_heads), bias=bias) for _ in range(2))
