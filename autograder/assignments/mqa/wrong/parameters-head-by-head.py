"""w_k and w_v are counted with n_kv_heads rows. A head has d_head rows, d_model / n_heads of them."""


def attention_parameters(d_model, n_heads, n_kv_heads, bias=False):
    check_heads(d_model, n_heads)
    check_groups(n_heads, n_kv_heads)
    return 2 * d_model * d_model + 2 * d_model * n_kv_heads + (2 * d_model + 2 * n_kv_heads * (d_model // n_heads) if bias else 0)
