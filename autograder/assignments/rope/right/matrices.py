"""A rotation matrix for every token, in float64, and a loop over the sequences."""

import math

import torch


class Rotations:
    def __init__(self, width, base, interleaved):
        self.width, self.base, self.interleaved = width, base, interleaved

    def places(self, i):
        return (2 * i, 2 * i + 1) if self.interleaved else (i, i + self.width // 2)

    def __getitem__(self, position):
        matrix = torch.zeros(self.width, self.width, dtype=torch.float64)
        for i in range(self.width // 2):
            angle = float(position) * math.pow(self.base, -2 * i / self.width)
            (a, b), c, s = self.places(i), math.cos(angle), math.sin(angle)
            matrix[a, a], matrix[a, b], matrix[b, a], matrix[b, b] = c, -s, s, c
        return matrix


def apply_rope(x, positions, base=10000.0, interleaved=False):
    if x.shape[-1] % 2:
        raise ValueError(f"odd: {x.shape[-1]}")
    if len(positions.shape) == 2:
        if len(positions) != len(x):
            raise ValueError(f"sequences: {len(x)}, {len(positions)}")
        return torch.stack([apply_rope(each, own, base, interleaved) for each, own in zip(x, positions)])
    if len(positions) != x.shape[-2]:
        raise ValueError(f"tokens: {x.shape[-2]}, {len(positions)}")
    rotations = Rotations(x.shape[-1], base, interleaved)
    stacked = torch.stack([rotations[position] for position in positions.tolist()])
    return torch.einsum("tij,...tj->...ti", stacked, x.double()).to(result_dtype(x))
