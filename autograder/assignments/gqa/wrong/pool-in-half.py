"""Half precision is added up in half precision: a sum in float16 is infinite beyond 65,504, and one in bfloat16 loses
its small terms. Compute in `working_dtype(weight)`."""


def pool_kv_heads(weight, n_heads, n_kv_heads):
    check_heads(weight.shape[0], n_heads)
    check_groups(n_heads, n_kv_heads)
    heads = weight.unflatten(0, (n_kv_heads, n_heads // n_kv_heads, -1))
    total = heads[:, 0]
    for place in range(1, heads.shape[1]):
        total = total + heads[:, place]
    return (total / heads.shape[1]).flatten(0, 1).to(result_dtype(weight))
