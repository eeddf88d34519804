"""The second number of a pair is computed from the first one's new value. Both need the pair as it was: keep the old
first number until the second is done, also where numbers are written in place."""


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
    turned_a = a * cos - b * sin
    turned_b = turned_a * sin + b * cos
    if interleaved:
        turned = torch.stack((turned_a, turned_b), dim=-1).flatten(-2)
    else:
        turned = torch.cat((turned_a, turned_b), dim=-1)
    return turned.to(result_dtype(x))
