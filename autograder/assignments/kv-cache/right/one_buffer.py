"""Keys and values in one buffer of a module, tokens first; the output one query after the other."""

import torch
from torch import nn


class KVCache(nn.Module):
    def __init__(self, batch_size, n_kv_heads, max_len, d_head, dtype=torch.float32, device="cpu"):
        super().__init__()
        self.register_buffer("store", torch.full((max_len, 2, batch_size, n_kv_heads, d_head), float("nan"), dtype=dtype, device=device))
        self.register_buffer("used", torch.zeros((), dtype=torch.long))

    def __len__(self):
        return int(self.used)

    @torch.no_grad()
    def append(self, k, v):
        if k.shape != v.shape:
            raise ValueError(f"keys {tuple(k.shape)}, values {tuple(v.shape)}")
        wanted = self.store.shape[2:4] + (k.shape[2],) + self.store.shape[4:]
        if k.shape != wanted:
            raise ValueError(f"the cache takes {tuple(wanted)}, and was given {tuple(k.shape)}")
        after = len(self) + k.shape[2]
        if after > len(self.store):
            raise ValueError(f"full: {after} > {len(self.store)}")
        self.store[len(self) : after] = torch.stack([k, v]).permute(3, 0, 1, 2, 4)
        self.used += k.shape[2]
        keys, values = self.store[:after].permute(1, 2, 3, 0, 4)
        return keys, values


class CachedAttention(MultiHeadAttention):
    def forward(self, x, cache=None):
        q = split_heads(self.w_q(x), n_heads=self.n_heads)
        keys, values = split_heads(self.w_k(x), self.n_heads), split_heads(self.w_v(x), self.n_heads)
        if cache is not None:
            keys, values = cache.append(k=keys, v=values)
        before = keys.shape[2] - x.shape[1]
        rows = [attention(q[:, :, i : i + 1], keys[:, :, : before + i + 1], values[:, :, : before + i + 1]) for i in range(x.shape[1])]
        return self.w_o(merge_heads(torch.cat(rows, dim=2)))
