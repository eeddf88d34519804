"""The channels' places in an index, a scatter into a new tensor, sines from a table that grows on demand, angles always in float64."""

import torch

TABLES = {}


def table(largest, width, base):
    key = (width, base)
    if key not in TABLES or TABLES[key].shape[0] <= largest:
        theta = torch.tensor([base ** (-2 * i / width) for i in range(width // 2)], dtype=torch.float64)
        TABLES[key] = torch.arange(largest + 1, dtype=torch.float64).outer(theta)
    return TABLES[key]


def apply_rope(x, positions, base=10000.0, interleaved=False):
    width, half = x.shape[-1], x.shape[-1] // 2
    if 2 * half != width:
        raise ValueError("d_head = %d" % width)
    if positions.shape[-1] != x.shape[-2]:
        raise ValueError("T = %d, positions %d" % (x.shape[-2], positions.shape[-1]))
    if positions.dim() == 2 and positions.shape[0] != x.shape[0]:
        raise ValueError("B = %d, positions %d" % (x.shape[0], positions.shape[0]))
    first = torch.arange(half) * 2 if interleaved else torch.arange(half)
    second = first + (1 if interleaved else half)
    angles = table(int(positions.max()), width, base)[positions]
    if positions.dim() == 2:
        angles = angles.reshape(angles.shape[:1] + (1,) * (x.dim() - 3) + angles.shape[1:])
    a, b = x.index_select(-1, first).double(), x.index_select(-1, second).double()
    out = torch.zeros(x.shape, dtype=torch.float64)
    out = out.index_add(-1, first, a * angles.cos() - b * angles.sin())
    out = out.index_add(-1, second, a * angles.sin() + b * angles.cos())
    return out.to(x.dtype) if x.dtype.is_floating_point else out
