"""The groups are interleaved: a new head is made from heads that lie n_kv_heads apart. A group is made of heads that
stand beside each other, as in `repeat_kv`."""


def pool_kv_heads(weight, n_heads, n_kv_heads):
    check_heads(weight.shape[0], n_heads)
    check_groups(n_heads, n_kv_heads)
    heads = weight.to(working_dtype(weight)).unflatten(0, (n_heads // n_kv_heads, n_kv_heads, -1))
    return heads.mean(dim=0).flatten(0, 1).to(result_dtype(weight))
