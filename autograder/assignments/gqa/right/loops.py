"""A loop over heads, everything in float64, lists in place of reshapes."""

import torch
from torch import nn


def repeat_kv(x, n_repeats):
    if n_repeats <= 0:
        raise ValueError(f"n_repeats must be positive, got {n_repeats}")
    return torch.stack([x[:, head] for head in range(x.size(1)) for _ in range(n_repeats)], 1)


class GroupedQueryAttention(nn.Module):
    def __init__(self, d_model, n_heads, n_kv_heads, bias=False):
        if n_heads <= 0 or d_model % n_heads != 0:
            raise ValueError(f"{d_model=} {n_heads=}")
        if n_kv_heads <= 0 or n_heads % n_kv_heads != 0:
            raise ValueError(f"{n_heads=} {n_kv_heads=}")
        super().__init__()
        self.dim, self.group = d_model // n_heads, n_heads // n_kv_heads
        widths = {"w_q": d_model, "w_k": n_kv_heads * self.dim, "w_v": n_kv_heads * self.dim, "w_o": d_model}
        for name, width in widths.items():
            setattr(self, name, nn.Linear(d_model, width, bias))

    def forward(self, x, mask=None):
        q, k, v = (torch.split(w(x).double(), self.dim, dim=2) for w in (self.w_q, self.w_k, self.w_v))
        T = x.size(1)
        allowed = torch.ones(x.size(0), len(q), T, T, dtype=torch.bool) if mask is None else mask.broadcast_to(x.size(0), len(q), T, T)
        outputs = []
        for head in range(len(q)):
            score = torch.bmm(q[head], k[head // self.group].transpose(1, 2)) * self.dim**-0.5
            seen = allowed[:, head]
            score = score.masked_fill(~seen, -float("inf"))
            power = torch.exp(score - score.detach().amax(-1, True).clamp(min=-1e300))
            outputs.append(torch.bmm(power, v[head // self.group]) / power.sum(-1, True).clamp(min=1e-300))
        return self.w_o(torch.cat(outputs, -1).to(x.dtype))


def pool_kv_heads(weight, n_heads, n_kv_heads):
    rows = weight.size(0)
    if n_heads < 1 or rows % n_heads:
        raise ValueError(f"{rows} rows, {n_heads} heads")
    if n_kv_heads < 1 or n_heads % n_kv_heads:
        raise ValueError(f"{n_heads} heads, {n_kv_heads} groups")
    heads = torch.split(weight.double(), rows // n_heads)
    n = n_heads // n_kv_heads
    return torch.cat([sum(heads[first : first + n]) / n for first in range(0, n_heads, n)]).type(weight.dtype)
