"""The weights are changed in place, as by `weights[~mask] = 0`, and PyTorch still needs them as they were to work out the
gradient of the softmax. `weights.masked_fill(~mask, 0)` makes a new tensor."""


def attention(q, k, v, mask=None):
    check_shapes(q, k, v)
    dtype = working_dtype(q, k, v)
    scores = q.to(dtype) @ k.to(dtype).mT / math.sqrt(q.shape[-1])
    if mask is None:
        weights = torch.softmax(scores, dim=-1)
    else:
        check_mask(mask, scores.shape)
        sees_any = mask.any(dim=-1, keepdim=True)
        weights = torch.softmax(scores.masked_fill(~mask & sees_any, -math.inf), dim=-1)
        weights[(~mask).expand(weights.shape)] = 0
    return (weights @ v.to(dtype)).to(result_dtype(q))
