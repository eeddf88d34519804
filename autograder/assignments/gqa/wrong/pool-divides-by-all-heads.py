"""The sum of a group is divided by the number of all heads. Divide by the number of heads in the group."""


def pool_kv_heads(weight, n_heads, n_kv_heads):
    check_heads(weight.shape[0], n_heads)
    check_groups(n_heads, n_kv_heads)
    heads = weight.to(working_dtype(weight)).unflatten(0, (n_kv_heads, n_heads // n_kv_heads, -1))
    return (heads.sum(dim=1) / n_heads).flatten(0, 1).to(result_dtype(weight))
