"""A query that may see no key comes out as NaN, since the softmax of a row that is −∞ throughout is not a number. In
this course such a query gives zeros. Keep its row from being −∞ throughout, and set its weights to zero after the
softmax."""


def attention(q, k, v, mask=None):
    check_shapes(q, k, v)
    dtype = working_dtype(q, k, v)
    scores = q.to(dtype) @ k.to(dtype).mT / math.sqrt(q.shape[-1])
    if mask is not None:
        check_mask(mask, scores.shape)
        scores = scores.masked_fill(~mask, -math.inf)
    weights = torch.softmax(scores, dim=-1)
    return (weights @ v.to(dtype)).to(result_dtype(q))
