"""Neighbouring rows are averaged. They belong to one and the same head, and are different features of it: average rows
with the same place in different heads of the group."""


def pool_kv_heads(weight, n_heads, n_kv_heads):
    check_heads(weight.shape[0], n_heads)
    check_groups(n_heads, n_kv_heads)
    rows = weight.to(working_dtype(weight)).unflatten(0, (-1, n_heads // n_kv_heads))
    return rows.mean(dim=1).to(result_dtype(weight))
