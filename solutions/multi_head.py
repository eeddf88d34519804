"""Multi-head attention in PyTorch (Vaswani et al. 2017, section 3.2.2)."""

import math

import torch
from torch import nn


def result_dtype(x):
    """The dtype a result has: that of x, or float64 where x holds no floating-point numbers."""
    return x.dtype if x.is_floating_point() else torch.float64


def working_dtype(*tensors):
    """The dtype to compute in: the widest of the results' dtypes, float32 at the least."""
    dtype = torch.float32
    for x in tensors:
        dtype = torch.promote_types(dtype, result_dtype(x))
    return dtype


def split_heads(x, n_heads):
    """Hand each head its own slice of the features.

    x (B, T, D). Returns (B, H, T, Dh) with Dh = D / H: head h has the features h·Dh to (h + 1)·Dh − 1.
    Raises ValueError, naming the two numbers, where D is no multiple of H.
    """
    check_heads(x.shape[-1], n_heads)
    return x.unflatten(-1, (n_heads, -1)).transpose(-3, -2)  # (B, T, D) → (B, T, H, Dh) → (B, H, T, Dh)


def merge_heads(x):
    """Put the heads' features side by side again: the inverse of split_heads.

    x (B, H, T, Dh). Returns (B, T, H·Dh).
    """
    return x.transpose(-3, -2).flatten(-2)  # (B, H, T, Dh) → (B, T, H, Dh) → (B, T, H·Dh)


def check_heads(d_model, n_heads):
    """Raise ValueError, with the two numbers that disagree, unless d_model numbers can be shared out among n_heads heads."""
    if n_heads < 1 or d_model < 1 or d_model % n_heads:
        raise ValueError(f"d_model {d_model} cannot be shared out among {n_heads} heads")


def attention(q, k, v, mask=None):
    """Each query's weighted sum of the values (Vaswani et al. 2017, equation 1).

    q (..., L, Dh), k (..., S, Dh), v (..., S, Dv); leading dimensions broadcast.
    mask: None or boolean, True = may attend, broadcastable to (..., L, S).
    Returns (..., L, Dv) in `result_dtype(q)`, computed in `working_dtype(q, k, v)`. A query that may see no key gives zeros.
    Raises ValueError, naming the two numbers, where sizes disagree, and TypeError where the mask is not boolean.
    """
    check_shapes(q, k, v)
    dtype = working_dtype(q, k, v)
    scores = q.to(dtype) @ k.to(dtype).mT / math.sqrt(q.shape[-1])  # (..., L, S)
    if mask is None:
        weights = torch.softmax(scores, dim=-1)
    else:
        check_mask(mask, scores.shape)
        sees_any = mask.any(dim=-1, keepdim=True)  # (..., L, 1)
        # An empty row keeps its scores and loses its weights: −∞ throughout would be NaN in the softmax and in its gradient.
        weights = torch.softmax(scores.masked_fill(~mask & sees_any, -math.inf), dim=-1)
        weights = weights.masked_fill(~mask, 0)
    return (weights @ v.to(dtype)).to(result_dtype(q))  # (..., L, Dv)


def check_shapes(q, k, v):
    """Raise ValueError, with the two numbers that disagree, unless q, k and v fit together."""
    if q.shape[-1] != k.shape[-1]:
        raise ValueError(f"queries have d_head {q.shape[-1]}, keys have {k.shape[-1]}")
    if k.shape[-2] != v.shape[-2]:
        raise ValueError(f"there are {k.shape[-2]} keys, but {v.shape[-2]} values")
    try:
        torch.broadcast_shapes(q.shape[:-2], k.shape[:-2], v.shape[:-2])
    except RuntimeError:
        leading = ", ".join(str(tuple(x.shape[:-2])) for x in (q, k, v))
        raise ValueError(f"leading dimensions do not broadcast: {leading}") from None


def check_mask(mask, shape):
    """Raise TypeError unless the mask is boolean, ValueError unless it broadcasts to the scores' shape."""
    if mask.dtype != torch.bool:
        raise TypeError(f"a mask is boolean, this one is {mask.dtype}")
    try:
        mask.expand(shape)
    except RuntimeError:
        raise ValueError(f"a mask of shape {tuple(mask.shape)} does not broadcast to the scores' shape {tuple(shape)}") from None


class MultiHeadAttention(nn.Module):
    """Self-attention with n_heads heads of d_model / n_heads numbers each (Vaswani et al. 2017, section 3.2.2).

    Weights: w_q, w_k, w_v and w_o, each nn.Linear(d_model, d_model). Raises ValueError, naming the two numbers, where d_model is no multiple of n_heads.
    """

    def __init__(self, d_model, n_heads, bias=False):
        super().__init__()
        check_heads(d_model, n_heads)
        self.n_heads = n_heads
        self.w_q = nn.Linear(d_model, d_model, bias=bias)
        self.w_k = nn.Linear(d_model, d_model, bias=bias)
        self.w_v = nn.Linear(d_model, d_model, bias=bias)
        self.w_o = nn.Linear(d_model, d_model, bias=bias)

    def forward(self, x, mask=None):
        """x (B, T, D), mask None or boolean, broadcastable to (B, H, T, T). Returns (B, T, D)."""
        q, k, v = (split_heads(w(x), self.n_heads) for w in (self.w_q, self.w_k, self.w_v))  # (B, H, T, Dh) each
        return self.w_o(merge_heads(attention(q, k, v, mask)))  # (B, T, D)
