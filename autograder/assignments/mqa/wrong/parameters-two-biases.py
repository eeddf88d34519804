"""Two biases are counted, one of d_model numbers and one as wide as the keys. Four layers have one: two of them of d_model
numbers, and two of n_kv_heads · d_head."""


def attention_parameters(d_model, n_heads, n_kv_heads, bias=False):
    check_heads(d_model, n_heads)
    check_groups(n_heads, n_kv_heads)
    kv_width = n_kv_heads * (d_model // n_heads)
    return 2 * d_model * (d_model + kv_width) + (d_model + kv_width if bias else 0)
