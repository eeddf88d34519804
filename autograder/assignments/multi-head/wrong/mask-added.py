"""The mask is added to the scores: True adds 1 and False adds 0, so nothing is forbidden. A forbidden score has to
become −∞."""


def softmax(scores, dim=-1):
    empty = torch.isneginf(scores).all(dim=dim, keepdim=True)
    return torch.softmax(scores.masked_fill(empty, 0), dim=dim).masked_fill(empty, 0)


def attention(q, k, v, mask=None):
    check_shapes(q, k, v)
    dtype = working_dtype(q, k, v)
    scores = q.to(dtype) @ k.to(dtype).mT / math.sqrt(q.shape[-1])
    if mask is not None:
        check_mask(mask, scores.shape)
        scores = scores + mask.to(dtype)
    weights = softmax(scores)
    return (weights @ v.to(dtype)).to(result_dtype(q))
