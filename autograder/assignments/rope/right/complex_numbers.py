"""Pairs as complex numbers, as in the first LLaMA: one multiplication by e^(ipθ) turns them."""

import torch


def apply_rope(x, positions, base=10000.0, interleaved=False):
    x = x if torch.is_floating_point(x) else x.double()
    *leading, n_tokens, d_head = x.shape
    if d_head % 2 == 1:
        raise ValueError("an odd width: " + str(d_head))
    if positions.shape[-1] != n_tokens:
        raise ValueError(f"{n_tokens} != {positions.shape[-1]}")
    if positions.ndim == 2:
        if positions.shape[0] != x.shape[0]:
            raise ValueError(f"{x.shape[0]} != {positions.shape[0]}")
        positions = positions.view(x.shape[0], *(1,) * (x.ndim - 3), n_tokens)
    wide = torch.float64 if x.dtype == torch.float64 else torch.float32
    exponents = torch.linspace(0, 1, d_head // 2 + 1)[:-1]
    angles = positions.float()[..., None] * torch.exp(-torch.log(torch.tensor(base)) * exponents)
    turn = torch.polar(torch.ones_like(angles), angles)
    if interleaved:
        pairs = x.to(wide).reshape(*x.shape[:-1], -1, 2)
    else:
        pairs = x.to(wide).reshape(*x.shape[:-1], 2, -1).transpose(-1, -2)
    turned = torch.view_as_real(torch.view_as_complex(pairs.contiguous()) * turn)
    if not interleaved:
        turned = turned.transpose(-1, -2)
    return turned.reshape(x.shape).type_as(x)
