"""As transformers writes it: x·cos + rotate(x)·sin, with every angle twice and one number of each pair negated."""

import torch


def rotate(x, interleaved):
    if interleaved:
        out = torch.empty_like(x)
        out[..., ::2], out[..., 1::2] = -x[..., 1::2], x[..., ::2]
        return out
    first, second = x.split(x.size(-1) // 2, -1)
    return torch.cat([second.neg(), first], -1)


def apply_rope(x, positions, base=10000.0, interleaved=False):
    if x.size(-1) & 1:
        raise ValueError(f"cannot make pairs of {x.size(-1)} channels")
    if positions.size(-1) != x.size(-2):
        raise ValueError(f"x has {x.size(-2)} tokens and there are {positions.size(-1)} positions")
    inv_freq = 1.0 / (base ** (torch.arange(0, x.size(-1), 2).float() / x.size(-1)))
    freqs = torch.einsum("...t,i->...ti", positions.float(), inv_freq)
    emb = freqs.repeat_interleave(2, -1) if interleaved else torch.cat((freqs, freqs), -1)
    if positions.ndim > 1:
        if positions.size(0) != x.size(0):
            raise ValueError(f"a batch of {x.size(0)} and positions for {positions.size(0)}")
        while emb.ndim < x.ndim:
            emb = emb.unsqueeze(1)
    if not x.is_floating_point():
        x = x.double()
    y = x if x.dtype == torch.double else x.float()
    return (y * emb.cos() + rotate(y, interleaved) * emb.sin()).to(x.dtype)
