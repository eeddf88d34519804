"""Batch and heads folded into one axis, w_o applied head by head and added up, an empty row found by its mask."""

import torch
from torch import nn


def attention(q, k, v, mask=None):
    check_shapes(q, k, v)
    lead = torch.broadcast_shapes(q.shape[:-2], k.shape[:-2], v.shape[:-2])
    wide = working_dtype(q, k, v)
    flat = [x.to(wide).expand(*lead, *x.shape[-2:]).reshape(-1, *x.shape[-2:]) for x in (q, k, v)]
    scores = torch.bmm(flat[0], flat[1].permute(0, 2, 1)) * (1 / q.shape[-1]) ** 0.5
    if mask is not None:
        check_mask(mask, (*lead, *scores.shape[-2:]))
        seen = mask.expand(*lead, *scores.shape[-2:]).reshape(scores.shape)
        empty = ~seen.any(-1, keepdim=True)
        weights = torch.softmax(scores.masked_fill(~(seen | empty), -torch.inf), -1) * ~empty
    else:
        weights = scores.log_softmax(2).exp()
    return torch.bmm(weights, flat[2]).reshape(*lead, q.shape[-2], v.shape[-1]).to(result_dtype(q))


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads, bias=False):
        nn.Module.__init__(self)
        check_heads(d_model, n_heads)
        self.d_model, self.n_heads, self.d_head = d_model, n_heads, d_model // n_heads
        self.w_q = nn.Linear(d_model, d_model, bias=bias)
        self.w_k = nn.Linear(d_model, d_model, bias=bias)
        self.w_v = nn.Linear(d_model, d_model, bias=bias)
        self.w_o = nn.Linear(d_model, d_model, bias=bias)
        self.reset()

    def reset(self):
        for parameter in self.parameters():
            nn.init.normal_(parameter, std=0.02)

    def forward(self, x, mask=None):
        heads = attention(*(split_heads(layer(x), self.n_heads) for layer in (self.w_q, self.w_k, self.w_v)), mask)  # (B, H, T, Dh)
        by_head = self.w_o.weight.reshape(self.d_model, self.n_heads, self.d_head)  # the columns that belong to each head
        mixed = torch.einsum("bhtd,ohd->bto", heads, by_head)
        return mixed if self.w_o.bias is None else mixed + self.w_o.bias
