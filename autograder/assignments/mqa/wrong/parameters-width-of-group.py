"""The keys of a token are counted as d_model / n_kv_heads numbers. They are n_kv_heads heads, and each of them has d_model /
n_heads numbers."""


def attention_parameters(d_model, n_heads, n_kv_heads, bias=False):
    check_heads(d_model, n_heads)
    check_groups(n_heads, n_kv_heads)
    kv_width = d_model // n_kv_heads
    return 2 * d_model * (d_model + kv_width) + (2 * d_model + 2 * kv_width if bias else 0)
