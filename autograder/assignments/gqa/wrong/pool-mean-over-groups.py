"""The mean runs over the groups, so that heads of different groups are mixed and those of one group are not. The axes are
group, head in the group, row and column: average over the second."""


def pool_kv_heads(weight, n_heads, n_kv_heads):
    check_heads(weight.shape[0], n_heads)
    check_groups(n_heads, n_kv_heads)
    heads = weight.to(working_dtype(weight)).unflatten(0, (n_kv_heads, n_heads // n_kv_heads, -1))
    return heads.mean(dim=0).flatten(0, 1).to(result_dtype(weight))
