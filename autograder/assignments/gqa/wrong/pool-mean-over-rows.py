"""The mean runs over the rows of each head, which are its features, and there are as many heads as before. The axes are group,
head in the group, row and column: average over the second."""


def pool_kv_heads(weight, n_heads, n_kv_heads):
    check_heads(weight.shape[0], n_heads)
    check_groups(n_heads, n_kv_heads)
    heads = weight.to(working_dtype(weight)).unflatten(0, (n_kv_heads, n_heads // n_kv_heads, -1))
    return heads.mean(dim=2).flatten(0, 1).to(result_dtype(weight))
