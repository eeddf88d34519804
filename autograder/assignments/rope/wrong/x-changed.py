"""The turned numbers are written into x itself, perhaps through a view such as x[..., 0::2]. The tensor belongs to the
caller, who may need it as it was, and PyTorch refuses it where a gradient is wanted: make a new one."""


def apply_rope(x, positions, base=10000.0, interleaved=False):
    check_rope(x, positions)
    d_head, dtype = x.shape[-1], working_dtype(x)
    even = torch.arange(0, d_head, 2, dtype=dtype, device=x.device)
    frequencies = base ** (-even / d_head)
    angles = positions.to(dtype)[..., None] * frequencies
    if positions.dim() == 2:
        angles = angles.unflatten(0, (-1, *[1] * (x.dim() - 3)))
    cos, sin = angles.cos(), angles.sin()
    x_work = x.to(dtype)
    if interleaved:
        a, b = x_work[..., 0::2], x_work[..., 1::2]
    else:
        a, b = x_work.chunk(2, dim=-1)
    turned_a, turned_b = a * cos - b * sin, a * sin + b * cos
    a.copy_(turned_a)
    b.copy_(turned_b)
    return x_work.to(result_dtype(x))
