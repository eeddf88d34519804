"""The number of groups and the number of heads in a group have changed places, so that the result has the wrong number
of heads. There are n_kv_heads groups of n_heads / n_kv_heads heads."""


def pool_kv_heads(weight, n_heads, n_kv_heads):
    check_heads(weight.shape[0], n_heads)
    check_groups(n_heads, n_kv_heads)
    heads = weight.to(working_dtype(weight)).unflatten(0, (n_heads // n_kv_heads, n_kv_heads, -1))
    return heads.mean(dim=1).flatten(0, 1).to(result_dtype(weight))
