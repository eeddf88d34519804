"""Impossible sizes are counted like any others: `//` drops what remains. Raise a ValueError that names both numbers."""


def attention_parameters(d_model, n_heads, n_kv_heads, bias=False):
    kv_width = n_kv_heads * (d_model // max(n_heads, 1))
    return 2 * d_model * (d_model + kv_width) + (2 * d_model + 2 * kv_width if bias else 0)
