"""The exponents run from 0 to −1, both included, so that the last pair has the frequency 1/base. They are −2i/Dh, and
the last i is Dh/2 − 1: −1 itself does not occur."""


def apply_rope(x, positions, base=10000.0, interleaved=False):
    check_rope(x, positions)
    d_head, dtype = x.shape[-1], working_dtype(x)
    even = torch.arange(0, d_head, 2, dtype=dtype, device=x.device)
    frequencies = base ** -torch.linspace(0, 1, d_head // 2, dtype=dtype, device=x.device)
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
