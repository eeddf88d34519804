"""Everything by einsum and in float64, the softmax written out, the heads joined by concatenation."""

import torch
from torch import nn


def split_heads(x, n_heads):
    if n_heads <= 0 or x.size(-1) % n_heads != 0:
        raise ValueError(f"cannot split {x.size(-1)} features into {n_heads} heads")
    return torch.stack(x.chunk(n_heads, dim=2), dim=1)


def merge_heads(x):
    return torch.cat([x[:, h] for h in range(x.shape[1])], dim=-1)


def attention(q, k, v, mask=None):
    kept = q.dtype if q.dtype.is_floating_point else torch.float64
    if q.size(-1) != k.size(-1) or k.size(-2) != v.size(-2):
        raise ValueError(f"these do not fit: {list(q.shape)}, {list(k.shape)}, {list(v.shape)}")
    q, k, v = q.double(), k.double(), v.double()
    try:
        scores = torch.einsum("...id,...jd->...ij", q, k) * q.size(-1) ** -0.5
        if mask is not None:
            if mask.dtype is not torch.bool:
                raise TypeError("bool, please")
            mask = torch.broadcast_to(mask, scores.shape)
            scores = torch.where(mask, scores, torch.full_like(scores, -torch.inf))
        top = scores.detach().amax(-1, keepdim=True).nan_to_num(neginf=0.0)
        powers = torch.exp(scores - top)
        total = powers.sum(-1, keepdim=True)
        return torch.einsum("...ij,...jd->...id", powers / torch.where(total > 0, total, 1.0), v).to(kept)
    except RuntimeError as error:
        shapes = [tuple(x.shape) for x in (q, k, v, mask) if x is not None]
        raise ValueError(f"{shapes}: {error}") from error


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads, bias=False):
        super().__init__()
        split_heads(torch.empty(1, 1, d_model), n_heads)  # raises where it cannot be done
        self.h, self.d = n_heads, d_model // n_heads
        self.w_o, self.w_v, self.w_k, self.w_q = (nn.Linear(d_model, d_model, bias) for _ in range(4))

    def forward(self, x, mask=None):
        b, t, _ = x.shape
        q, k, v = [layer(x).reshape(b, t, self.h, self.d).permute([0, 2, 1, 3]) for layer in [self.w_q, self.w_k, self.w_v]]
        return self.w_o(attention(q, k, v, mask=mask).permute(0, 2, 1, 3).reshape(b, t, self.h * self.d))
