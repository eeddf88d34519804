"""All scores are in memory at once, in the toy."""


def attention(q, k, v):
    wide = torch.promote_types(q.dtype, torch.float32)
    return ((q.to(wide) @ k.to(wide).mT / q.shape[-1] ** 0.5).softmax(-1) @ v.to(wide)).to(q.dtype)
