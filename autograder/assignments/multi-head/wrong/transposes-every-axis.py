"""All axes of the keys are turned around, the batch and the heads too, or the wrong two change places. Only the
last two axes may change places."""


def softmax(scores, dim=-1):
    empty = torch.isneginf(scores).all(dim=dim, keepdim=True)
    return torch.softmax(scores.masked_fill(empty, 0), dim=dim).masked_fill(empty, 0)


def attention(q, k, v, mask=None):
    check_shapes(q, k, v)
    dtype = working_dtype(q, k, v)
    scores = q.to(dtype) @ k.to(dtype).permute(*range(k.ndim - 1, -1, -1)) / math.sqrt(q.shape[-1])
    if mask is not None:
        check_mask(mask, scores.shape)
        scores = scores.masked_fill(~mask, -math.inf)
    weights = softmax(scores)
    return (weights @ v.to(dtype)).to(result_dtype(q))
