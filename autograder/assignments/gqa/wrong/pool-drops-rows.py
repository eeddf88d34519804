"""Sizes that do not fit go unnoticed, and rows of the weight are dropped without a word. Raise a ValueError, which names
both numbers, where the rows cannot be shared out among the heads, or the heads among the groups."""


def pool_kv_heads(weight, n_heads, n_kv_heads):
    n_kv_heads = min(max(n_kv_heads, 1), n_heads)
    n, d_head = n_heads // n_kv_heads, weight.shape[0] // n_heads
    heads = weight[: n_kv_heads * n * d_head].to(working_dtype(weight)).unflatten(0, (n_kv_heads, n, d_head))
    return heads.mean(dim=1).flatten(0, 1).to(result_dtype(weight))
