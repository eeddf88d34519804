"""The softmax runs over the first axis, so that the sequences of a batch share one unit of attention. Each row of
each head has to sum to one: use the last axis, dim=-1, and not dim=0."""


def softmax(scores, dim=-1):
    empty = torch.isneginf(scores).all(dim=dim, keepdim=True)
    return torch.softmax(scores.masked_fill(empty, 0), dim=dim).masked_fill(empty, 0)


def attention(q, k, v, mask=None):
    check_shapes(q, k, v)
    dtype = working_dtype(q, k, v)
    scores = q.to(dtype) @ k.to(dtype).mT / math.sqrt(q.shape[-1])
    if mask is not None:
        check_mask(mask, scores.shape)
        scores = scores.masked_fill(~mask, -math.inf)
    weights = softmax(scores, dim=0 if scores.ndim > 2 else -1)
    return (weights @ v.to(dtype)).to(result_dtype(q))
