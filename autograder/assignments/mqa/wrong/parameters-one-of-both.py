"""Keys and values are counted as one matrix. There is w_k, and there is w_v."""


def attention_parameters(d_model, n_heads, n_kv_heads, bias=False):
    check_heads(d_model, n_heads)
    check_groups(n_heads, n_kv_heads)
    kv_width = n_kv_heads * (d_model // n_heads)
    return 2 * d_model * d_model + d_model * kv_width + (2 * d_model + 2 * kv_width if bias else 0)
