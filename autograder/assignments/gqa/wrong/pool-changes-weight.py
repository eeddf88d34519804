"""The weight that was handed in is changed: the multi-head model that it belongs to is spoilt. Write into a tensor of
your own."""


def pool_kv_heads(weight, n_heads, n_kv_heads):
    check_heads(weight.shape[0], n_heads)
    check_groups(n_heads, n_kv_heads)
    n = n_heads // n_kv_heads
    heads = weight.view(n_kv_heads, n, -1, weight.shape[1])
    with torch.no_grad():
        heads[:, 0] = heads.to(working_dtype(weight)).mean(dim=1)
    return heads[:, 0].flatten(0, 1).clone()
