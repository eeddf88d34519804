"""The first head of each group is kept, and the others are thrown away. The mean keeps something of all of them, and in
the experiments of the paper it did best."""


def pool_kv_heads(weight, n_heads, n_kv_heads):
    check_heads(weight.shape[0], n_heads)
    check_groups(n_heads, n_kv_heads)
    heads = weight.to(working_dtype(weight)).unflatten(0, (n_kv_heads, n_heads // n_kv_heads, -1))
    return heads[:, 0].flatten(0, 1).to(result_dtype(weight))
