"""The output is right, but the weights of a query that may see no key are NaN, and only the product with the values was put
right: the gradients of the values pass through the weights. Keep such a row from being −∞ throughout, and set its weights to zero."""


def attention(q, k, v, mask=None):
    check_shapes(q, k, v)
    dtype = working_dtype(q, k, v)
    scores = q.to(dtype) @ k.to(dtype).mT / math.sqrt(q.shape[-1])
    if mask is None:
        weights = torch.softmax(scores, dim=-1)
    else:
        check_mask(mask, scores.shape)
        weights = torch.softmax(scores.masked_fill(~mask, -math.inf), dim=-1)
    return torch.nan_to_num(weights @ v.to(dtype)).to(result_dtype(q))
