"""Sine and cosine have changed places. The first number is a·cos − b·sin and the second a·sin + b·cos: at the angle 0,
where the cosine is 1 and the sine 0, a pair stays as it is."""


def apply_rope(x, positions, base=10000.0, interleaved=False):
    check_rope(x, positions)
    d_head, dtype = x.shape[-1], working_dtype(x)
    even = torch.arange(0, d_head, 2, dtype=dtype, device=x.device)
    frequencies = base ** (-even / d_head)
    angles = positions.to(dtype)[..., None] * frequencies
    if positions.dim() == 2:
        angles = angles.unflatten(0, (-1, *[1] * (x.dim() - 3)))
    cos, sin = angles.sin(), angles.cos()
    x_work = x.to(dtype)
    if interleaved:
        a, b = x_work[..., 0::2], x_work[..., 1::2]
    else:
        a, b = x_work.chunk(2, dim=-1)
    turned_a, turned_b = a * cos - b * sin, a * sin + b * cos
    if interleaved:
        turned = torch.stack((turned_a, turned_b), dim=-1).flatten(-2)
    else:
        turned = torch.cat((turned_a, turned_b), dim=-1)
    return turned.to(result_dtype(x))
