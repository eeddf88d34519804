"""The scores themselves are used as weights. Without the softmax a row does not sum to one and may hold negative
numbers."""


def attention(q, k, v, mask=None):
    check_shapes(q, k, v)
    dtype = working_dtype(q, k, v)
    scores = q.to(dtype) @ k.to(dtype).mT / math.sqrt(q.shape[-1])
    if mask is not None:
        check_mask(mask, scores.shape)
        scores = scores.masked_fill(~mask, -math.inf)
    weights = scores.masked_fill(torch.isneginf(scores), 0)
    return (weights @ v.to(dtype)).to(result_dtype(q))
