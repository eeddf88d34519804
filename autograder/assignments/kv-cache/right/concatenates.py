"""Lists that are joined at every call, no mask for a single token, and a mask of numbers for several."""

import torch
from torch import nn


def kv_cache_bytes(n_layers, n_kv_heads, d_head, seq_len, batch_size=1, bytes_per_element=2):
    total = 0
    for _ in ("key", "value"):
        total += batch_size * seq_len * n_layers * n_kv_heads * d_head
    return int(total * bytes_per_element)


class KVCache:
    def __init__(self, batch_size, n_kv_heads, max_len, d_head, dtype=torch.float32, device="cpu"):
        self.sizes, self.max_len = (batch_size, n_kv_heads, d_head), max_len
        self.options = {"dtype": dtype, "device": torch.device(device)}
        self.parts = []

    def __len__(self):
        return sum(k.shape[-2] for k, _ in self.parts)

    def append(self, k, v):
        for x in (k, v):
            b, g, t, d = x.shape
            for ours, theirs in zip(self.sizes, (b, g, d)):
                if ours != theirs:
                    raise ValueError(f"{theirs} where the cache has {ours}")
        if k.shape[-2] != v.shape[-2]:
            raise ValueError(f"{k.shape[-2]} keys and {v.shape[-2]} values")
        if len(self) + k.shape[-2] > self.max_len:
            raise ValueError(f"max_len is {self.max_len}, not {k.shape[-2] + len(self)}")
        self.parts.append((k.to(**self.options).clone(), v.to(**self.options).clone()))
        return tuple(torch.cat(column, dim=-2) for column in zip(*self.parts))


class CachedAttention(nn.Module):
    def __init__(self, d_model, n_heads, bias=False):
        super().__init__()
        if d_model % n_heads:
            raise ValueError(f"{d_model} % {n_heads}")
        self.h, self.d = n_heads, d_model // n_heads
        for name in "qkvo":
            setattr(self, f"w_{name}", nn.Linear(d_model, d_model, bias))
        self.register_buffer("steps", torch.zeros(()))

    def heads(self, x):
        return x.view(x.shape[0], x.shape[1], self.h, self.d).permute(0, 2, 1, 3)

    def forward(self, x, cache=None):
        q, k, v = self.heads(self.w_q(x)), self.heads(self.w_k(x)), self.heads(self.w_v(x))
        past = 0
        if isinstance(cache, KVCache):
            past = len(cache)
            k, v = cache.append(k, v)
        wide = torch.promote_types(torch.promote_types(q.dtype, k.dtype), torch.float32)
        s = torch.einsum("bhid,bhjd->bhij", q.to(wide), k.to(wide)) * self.d**-0.5
        if x.shape[1] > 1:
            rows = torch.arange(x.shape[1])[:, None] + past
            s = s + torch.zeros(s.shape[-2:], dtype=wide).masked_fill(torch.arange(k.shape[2]) > rows, float("-inf"))
        y = torch.einsum("bhij,bhjd->bihd", s.softmax(-1), v.to(wide)).to(x.dtype)
        return self.w_o(y.flatten(2))
