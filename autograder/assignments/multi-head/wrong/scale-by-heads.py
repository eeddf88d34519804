"""The scores are divided by the root of the size of another axis, such as the number of heads. The dot product runs along
the last axis of the queries, and its size is d_head: count axes from the end."""


def attention(q, k, v, mask=None):
    check_shapes(q, k, v)
    dtype = working_dtype(q, k, v)
    scores = q.to(dtype) @ k.to(dtype).mT / math.sqrt(q.shape[1])
    if mask is None:
        weights = torch.softmax(scores, dim=-1)
    else:
        check_mask(mask, scores.shape)
        sees_any = mask.any(dim=-1, keepdim=True)
        weights = torch.softmax(scores.masked_fill(~mask & sees_any, -math.inf), dim=-1)
        weights = weights.masked_fill(~mask, 0)
    return (weights @ v.to(dtype)).to(result_dtype(q))
