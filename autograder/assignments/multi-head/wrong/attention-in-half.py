"""The scores are computed in half precision. A float16 ends at 65,504, so that large scores become infinite and the
output NaN. Turn q, k and v into working_dtype before you multiply."""


def softmax(scores, dim=-1):
    empty = torch.isneginf(scores).all(dim=dim, keepdim=True)
    return torch.softmax(scores.masked_fill(empty, 0), dim=dim).masked_fill(empty, 0)


def attention(q, k, v, mask=None):
    check_shapes(q, k, v)
    kept = result_dtype(q)
    scores = q.to(kept) @ k.to(kept).mT / math.sqrt(q.shape[-1])
    if mask is not None:
        check_mask(mask, scores.shape)
        scores = scores.masked_fill(~mask, -math.inf)
    return softmax(scores) @ v.to(kept)
