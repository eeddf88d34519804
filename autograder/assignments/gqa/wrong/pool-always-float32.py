"""The result is float32 whatever came in. Compute in float32 at least, and give the result the weight's own dtype."""


def pool_kv_heads(weight, n_heads, n_kv_heads):
    check_heads(weight.shape[0], n_heads)
    check_groups(n_heads, n_kv_heads)
    heads = weight.float().unflatten(0, (n_kv_heads, n_heads // n_kv_heads, -1))
    return heads.mean(dim=1).flatten(0, 1)
