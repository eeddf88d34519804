"""The new heads stand on an axis of their own. A projection's weight has two axes: put the heads' rows below each other
again, (n_kv_heads · d_head, d_model)."""


def pool_kv_heads(weight, n_heads, n_kv_heads):
    check_heads(weight.shape[0], n_heads)
    check_groups(n_heads, n_kv_heads)
    heads = weight.to(working_dtype(weight)).unflatten(0, (n_kv_heads, n_heads // n_kv_heads, -1))
    return heads.mean(dim=1).to(result_dtype(weight))
