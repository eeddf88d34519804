"""A toy whose functions work on any device, for the tests of what the grader does with a GPU."""

import torch
from torch import nn


def attention(q, k, v, is_causal=False):
    """A few rows of scores at a time: memory grows with S alone."""
    wide = torch.promote_types(q.dtype, torch.float32)
    rows, n = [], q.shape[-2]
    for first in range(0, n, 64):
        scores = q[..., first : first + 64, :].to(wide) @ k.to(wide).mT / q.shape[-1] ** 0.5
        if is_causal:
            seen = torch.arange(first, min(first + 64, n), device=q.device)[:, None] >= torch.arange(k.shape[-2], device=q.device)
            scores = scores.masked_fill(~seen, -torch.inf)
        rows.append(scores.softmax(-1) @ v.to(wide))
    return torch.cat(rows, dim=-2).to(q.dtype)


class Layer(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.w = nn.Linear(width, width, bias=False)

    def forward(self, x):
        return self.w(x) * 2
