"""The score matrix is transposed: row i holds the scores of key i. Row i has to belong to query i: multiply the
queries by the transposed keys, and not the other way round."""


def softmax(scores, dim=-1):
    empty = torch.isneginf(scores).all(dim=dim, keepdim=True)
    return torch.softmax(scores.masked_fill(empty, 0), dim=dim).masked_fill(empty, 0)


def attention(q, k, v, mask=None):
    check_shapes(q, k, v)
    dtype = working_dtype(q, k, v)
    scores = k.to(dtype) @ q.to(dtype).mT / math.sqrt(q.shape[-1])
    if mask is not None:
        check_mask(mask, scores.shape)
        scores = scores.masked_fill(~mask, -math.inf)
    weights = softmax(scores)
    return (weights @ v.to(dtype)).to(result_dtype(q))
