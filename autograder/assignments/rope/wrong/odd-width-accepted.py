"""An odd width is accepted, and its last channel has no partner. Raise a ValueError that names the width: it is nearly
always a mistake made elsewhere."""


def apply_rope(x, positions, base=10000.0, interleaved=False):
    whole = x.shape[-1] // 2 * 2
    check_rope(x[..., :whole], positions)
    dtype = working_dtype(x)
    even = torch.arange(0, whole, 2, dtype=dtype, device=x.device)
    angles = positions.to(dtype)[..., None] * base ** (-even / whole)
    if positions.dim() == 2:
        angles = angles.unflatten(0, (-1, *[1] * (x.dim() - 3)))
    cos, sin = angles.cos(), angles.sin()
    given = x[..., :whole].to(dtype)
    a, b = (given[..., 0::2], given[..., 1::2]) if interleaved else given.chunk(2, dim=-1)
    pair = (a * cos - b * sin, a * sin + b * cos)
    turned = torch.stack(pair, dim=-1).flatten(-2) if interleaved else torch.cat(pair, dim=-1)
    return torch.cat((turned, x[..., whole:].to(dtype)), dim=-1).to(result_dtype(x))
