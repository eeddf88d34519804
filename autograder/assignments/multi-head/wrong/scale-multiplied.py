"""The scores are multiplied by √d_head. They grow with d_head as it is, and dividing by √d_head is there to undo it."""


def attention(q, k, v, mask=None):
    check_shapes(q, k, v)
    dtype = working_dtype(q, k, v)
    scores = q.to(dtype) @ k.to(dtype).mT * math.sqrt(q.shape[-1])
    if mask is not None:
        check_mask(mask, scores.shape)
        scores = scores.masked_fill(~mask & mask.any(dim=-1, keepdim=True), -math.inf)
    weights = torch.softmax(scores, dim=-1)
    weights = weights if mask is None else weights * mask
    return (weights @ v.to(dtype)).to(result_dtype(q))
