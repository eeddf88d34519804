"""The pairs are neighbours, but the angles are laid out half-split: the two numbers of a pair turn by different angles.
Interleaved, both channels 2i and 2i + 1 turn by p·θᵢ: each angle stands twice side by side."""


def apply_rope(x, positions, base=10000.0, interleaved=False):
    check_rope(x, positions)
    d_head, dtype = x.shape[-1], working_dtype(x)
    even = torch.arange(0, d_head, 2, dtype=dtype, device=x.device)
    angles = positions.to(dtype)[..., None] * base ** (-even / d_head)
    if positions.dim() == 2:
        angles = angles.unflatten(0, (-1, *[1] * (x.dim() - 3)))
    angles = torch.cat((angles, angles), dim=-1)
    given = x.to(dtype)
    if interleaved:
        partner = torch.stack((-given[..., 1::2], given[..., 0::2]), dim=-1).flatten(-2)
    else:
        partner = torch.cat((-given[..., d_head // 2 :], given[..., : d_head // 2]), dim=-1)
    return (given * angles.cos() + partner * angles.sin()).to(result_dtype(x))
