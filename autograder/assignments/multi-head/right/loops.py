"""A loop over the heads, a loop over the queries, lists in between; the inverse written as an assignment."""

import math

import torch
import torch.nn as nn
import torch.nn.functional as F


def split_heads(x, n_heads):
    if n_heads < 1:
        raise ValueError(f"{n_heads} heads for d_model = {x.shape[-1]}")
    width, rest = divmod(x.shape[-1], n_heads)
    if rest:
        raise ValueError("%d is not a multiple of %d" % (x.shape[-1], n_heads))
    heads = []
    for h in range(n_heads):
        heads.append(x[:, :, h * width : (h + 1) * width].unsqueeze(1))
    return torch.cat(heads, 1)


def merge_heads(x):
    batch, n_heads, n_tokens, width = x.shape
    merged = x.new_zeros(batch, n_tokens, n_heads * width)
    for h in range(n_heads):
        merged[..., h * width : (h + 1) * width] = x[:, h]
    return merged


def attention(q, k, v, mask=None):
    check_shapes(q, k, v)
    dtype = working_dtype(q, k, v)
    lead = torch.broadcast_shapes(q.shape[:-2], k.shape[:-2], v.shape[:-2])
    if mask is not None:
        check_mask(mask, (*lead, q.shape[-2], k.shape[-2]))
        mask = mask.expand(*lead, q.shape[-2], k.shape[-2])
    rows = []
    for i in range(q.shape[-2]):
        row = (q[..., i : i + 1, :].to(dtype) * k.to(dtype)).sum(-1) / math.sqrt(k.shape[-1])
        if mask is not None:
            row = torch.where(mask[..., i, :], row, float("-inf"))
        weights = F.softmax(row, dim=-1)
        if mask is not None:
            weights = torch.where(mask[..., i, :], weights, 0)
        rows.append((weights.unsqueeze(-1) * v.to(dtype)).sum(-2))
    return torch.stack(rows, dim=-2).to(result_dtype(q))


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model: int, n_heads: int, bias: bool = False) -> None:
        super(MultiHeadAttention, self).__init__()
        if n_heads == 0 or d_model % n_heads != 0:
            raise ValueError(f"d_model={d_model}, n_heads={n_heads}")
        self.n_heads = n_heads
        for name in ["w_q", "w_k", "w_v", "w_o"]:
            setattr(self, name, nn.Linear(d_model, d_model, bias=bias))

    def forward(self, x: torch.Tensor, mask: torch.Tensor | None = None) -> torch.Tensor:
        queries, keys, values = self.w_q(x), self.w_k(x), self.w_v(x)
        outputs = []
        for h, (q, k, v) in enumerate(zip(*(y.chunk(self.n_heads, dim=-1) for y in (queries, keys, values)))):
            mine = mask
            if mask is not None and mask.ndim >= 3:
                mine = mask[..., min(h, mask.shape[-3] - 1), :, :]
            outputs.append(attention(q, k, v, mine))
        return self.w_o(torch.cat(outputs, dim=-1))
