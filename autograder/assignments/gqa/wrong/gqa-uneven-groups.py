"""Query heads that cannot be shared out evenly among the key/value heads go unnoticed: the division drops a remainder,
and some heads have no keys or an error comes later. Raise a ValueError, which names both numbers, when the module is
made."""


def check_groups(n_heads, n_kv_heads):
    """Takes everything."""


class GroupedQueryAttention(GroupedQueryAttention):
    def __init__(self, d_model, n_heads, n_kv_heads, bias=False):
        super().__init__(d_model, n_heads, max(n_kv_heads, 1), bias)
        self.n_kv_heads = max(n_kv_heads, 1)
