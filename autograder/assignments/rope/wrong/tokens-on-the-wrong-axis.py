"""The angles run along another axis than that of the tokens. In x (..., T, Dh) the tokens are the last axis but one,
also where heads stand before it."""


def apply_rope(x, positions, base=10000.0, interleaved=False):
    check_rope(x, positions)
    d_head, dtype = x.shape[-1], working_dtype(x)
    even = torch.arange(0, d_head, 2, dtype=dtype, device=x.device)
    if positions.dim() == 2:
        angles = (positions.to(dtype)[..., None] * base ** (-even / d_head)).unflatten(0, (-1, *[1] * (x.dim() - 3)))
    elif x.dim() > 3:
        counted = positions[0] + torch.arange(x.shape[1], device=x.device)
        angles = counted.to(dtype)[:, None, None] * base ** (-even / d_head)
    else:
        angles = positions.to(dtype)[..., None] * base ** (-even / d_head)
    cos, sin = angles.cos(), angles.sin()
    given = x.to(dtype)
    a, b = (given[..., 0::2], given[..., 1::2]) if interleaved else given.chunk(2, dim=-1)
    pair = (a * cos - b * sin, a * sin + b * cos)
    return (torch.stack(pair, dim=-1).flatten(-2) if interleaved else torch.cat(pair, dim=-1)).to(result_dtype(x))
