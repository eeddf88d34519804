"""The scores of the keys that may be seen are filled with −∞, and the weights of the others set to zero, so that nothing
is left. `masked_fill` fills where its mask is True: forbid where the mask is False, `~mask`."""


def attention(q, k, v, mask=None):
    check_shapes(q, k, v)
    dtype = working_dtype(q, k, v)
    scores = q.to(dtype) @ k.to(dtype).mT / math.sqrt(q.shape[-1])
    if mask is None:
        weights = torch.softmax(scores, dim=-1)
    else:
        check_mask(mask, scores.shape)
        sees_any = mask.any(dim=-1, keepdim=True)
        weights = torch.softmax(scores.masked_fill(mask & sees_any, -math.inf), dim=-1)
        weights = weights.masked_fill(~mask, 0)
    return (weights @ v.to(dtype)).to(result_dtype(q))
