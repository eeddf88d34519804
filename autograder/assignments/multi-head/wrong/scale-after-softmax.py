"""The weights are divided by √d_head after the softmax, so that a row no longer sums to one. Scale the scores
before the softmax."""


def softmax(scores, dim=-1):
    empty = torch.isneginf(scores).all(dim=dim, keepdim=True)
    return torch.softmax(scores.masked_fill(empty, 0), dim=dim).masked_fill(empty, 0)


def attention(q, k, v, mask=None):
    check_shapes(q, k, v)
    dtype = working_dtype(q, k, v)
    scores = q.to(dtype) @ k.to(dtype).mT
    if mask is not None:
        check_mask(mask, scores.shape)
        scores = scores.masked_fill(~mask, -math.inf)
    weights = softmax(scores) / math.sqrt(q.shape[-1])
    return (weights @ v.to(dtype)).to(result_dtype(q))
