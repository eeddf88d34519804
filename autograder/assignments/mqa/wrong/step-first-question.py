"""All heads get the answer to the first head's query. They share keys and values, and each asks a question of its
own."""


def decode_step(q, keys, values):
    if q.shape[2] != 1 or keys.shape[1] != 1 or values.shape[1] != 1:
        raise ValueError(f"1 is wanted: {q.shape[2]} tokens, {keys.shape[1]} heads of keys, {values.shape[1]} of values")
    check_shapes(q, keys, values)
    q = q[:, :1].expand_as(q)
    wide = working_dtype(q, keys, values)
    rows, k, v = q[:, :, 0].to(wide), keys[:, 0].to(wide), values[:, 0].to(wide)
    scores = torch.einsum("bhd,bsd->bhs", rows, k) / math.sqrt(q.shape[-1])
    weights = scores.softmax(dim=-1)
    return torch.einsum("bhs,bsd->bhd", weights, v)[:, :, None].to(result_dtype(q))
