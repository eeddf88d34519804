"""One product for queries, keys and values; a buffer and a base class of its own; NaN replaced after a softmax that masked_fill guards."""

import torch


def split_heads(x, n_heads):
    *front, d = x.shape
    if n_heads < 1 or d % n_heads:
        raise ValueError(f"no {n_heads} equal parts of {d}")
    return x.contiguous().view(*front, n_heads, d // n_heads).movedim(-2, -3)


def merge_heads(x):
    b, h, t, d = x.shape
    return x.movedim(1, 2).contiguous().view(b, t, h * d)


def attention(q, k, v, mask=None):
    check_shapes(q, k, v)
    wide = torch.promote_types(working_dtype(q, k, v), torch.float32)
    scores = torch.matmul(q.type(wide) / q.shape[-1] ** 0.5, k.type(wide).transpose(-1, -2))
    if mask is not None:
        check_mask(mask, scores.shape)
        scores.masked_fill_(torch.logical_not(mask), torch.finfo(wide).min * torch.inf)
    return torch.matmul(torch.nan_to_num(scores.softmax(-1)), v.type(wide)).type(result_dtype(q))


class Base(torch.nn.Module):
    def __init__(self, n_heads, **layers):
        super().__init__()
        self.register_buffer("heads", torch.tensor(n_heads), persistent=True)
        for name, layer in layers.items():
            self.add_module(name, layer)

    def extra_repr(self):
        return f"{int(self.heads)} heads"


class MultiHeadAttention(Base):
    def __init__(self, d_model, n_heads, bias=False):
        if n_heads < 1 or d_model % n_heads:
            raise ValueError(f"d_model: {d_model}; n_heads: {n_heads}")
        super().__init__(n_heads, **{name: torch.nn.Linear(d_model, d_model, bias=bias) for name in ("w_q", "w_k", "w_v", "w_o")})

    def forward(self, x, mask=None):
        first = self.w_q, self.w_k, self.w_v
        bias = None if self.w_q.bias is None else torch.cat([layer.bias for layer in first])
        y = torch.nn.functional.linear(x, torch.cat([layer.weight for layer in first]), bias)
        q, k, v = (split_heads(part, int(self.heads)) for part in y.split(x.shape[-1], dim=-1))
        self.last = attention(q, k, v, mask)
        return self.w_o(merge_heads(self.last))
