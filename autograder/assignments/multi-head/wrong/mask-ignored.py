"""The mask has no effect: the output is the one without a mask. Set the scores of forbidden keys to −∞ before the
softmax."""


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
    weights = softmax(scores)
    return (weights @ v.to(dtype)).to(result_dtype(q))
