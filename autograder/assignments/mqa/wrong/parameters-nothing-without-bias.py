"""Without biases the result is 0, and the weights are lost with them: `x + y if bias else 0` is read as `(x + y) if bias else
0`. Put brackets round what belongs to the biases."""


def attention_parameters(d_model, n_heads, n_kv_heads, bias=False):
    check_heads(d_model, n_heads)
    check_groups(n_heads, n_kv_heads)
    kv_width = n_kv_heads * (d_model // n_heads)
    return 2 * d_model * (d_model + kv_width) + 2 * d_model + 2 * kv_width if bias else 0
