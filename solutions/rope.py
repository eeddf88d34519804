"""Rotary position embeddings in PyTorch (Su et al. 2021, section 3.2.2)."""

import torch

from solutions.multi_head import result_dtype, working_dtype


def apply_rope(x, positions, base=10000.0, interleaved=False):
    """Turn each token's pairs of numbers by angles that grow with its position (Su et al. 2021; their equation 34 is `interleaved=True`).

    x (..., T, Dh), queries or keys. positions (T,), or (B, T) with the first dimension of x, and then shared by all heads of x (B, H, T, Dh).
    Pair i turns by p·θᵢ, p the token's position and θᵢ = base^(−2i/Dh). Its numbers are the channels i and i + Dh/2; interleaved: 2i and 2i + 1.
    Returns (..., T, Dh) in `result_dtype(x)`, computed in `working_dtype(x)`.
    Raises ValueError where Dh is odd, and, naming the two numbers, where positions do not fit x.
    """
    check_rope(x, positions)
    d_head, dtype = x.shape[-1], working_dtype(x)
    even = torch.arange(0, d_head, 2, dtype=dtype, device=x.device)  # 2i
    frequencies = base ** (-even / d_head)  # (Dh/2,)
    angles = positions.to(dtype)[..., None] * frequencies  # (T, Dh/2) or (B, T, Dh/2)
    if positions.dim() == 2:
        angles = angles.unflatten(0, (-1, *[1] * (x.dim() - 3)))  # (B, 1, T, Dh/2) for x (B, H, T, Dh)
    cos, sin = angles.cos(), angles.sin()
    x_work = x.to(dtype)
    if interleaved:
        a, b = x_work[..., 0::2], x_work[..., 1::2]  # (..., T, Dh/2) each
    else:
        a, b = x_work.chunk(2, dim=-1)  # (..., T, Dh/2) each
    turned_a, turned_b = a * cos - b * sin, a * sin + b * cos
    if interleaved:
        turned = torch.stack((turned_a, turned_b), dim=-1).flatten(-2)  # (..., T, Dh/2, 2) → (..., T, Dh)
    else:
        turned = torch.cat((turned_a, turned_b), dim=-1)  # (..., T, Dh)
    return turned.to(result_dtype(x))


def check_rope(x, positions):
    """Raise ValueError unless x has an even width, and one position for each of its tokens."""
    if x.shape[-1] % 2:
        raise ValueError(f"d_head {x.shape[-1]} is odd: its numbers do not make pairs")
    if positions.dim() not in (1, 2):
        raise ValueError(f"positions have 1 dimension or 2, and these have {positions.dim()}")
    if positions.shape[-1] != x.shape[-2]:
        raise ValueError(f"there are {x.shape[-2]} tokens, but {positions.shape[-1]} positions")
    if positions.dim() == 2 and (x.dim() < 3 or positions.shape[0] != x.shape[0]):
        sequences = x.shape[0] if x.dim() > 2 else 1
        raise ValueError(f"there are {sequences} sequences, but positions for {positions.shape[0]}")
