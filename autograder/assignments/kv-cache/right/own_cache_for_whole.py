"""A sequence without a cache gets one for the call; heads one by one; a list of lengths in place of a number."""

import torch
from torch import nn


class KVCache(object):
    def __init__(self, batch_size, n_kv_heads, max_len, d_head, dtype=torch.float32, device="cpu"):
        self.room = max_len
        self.k = torch.empty(batch_size, n_kv_heads, 0, d_head, dtype=dtype, device=device)
        self.v = self.k.clone()

    @property
    def dtype(self):
        return self.k.dtype

    def append(self, k, v):
        def fits(new, old, name):
            for i in 0, 1, 3:
                if new.size(i) != old.size(i):
                    raise ValueError(f"{name}: {new.size(i)} is not {old.size(i)} in axis {i}")

        fits(k, self.k, "k")
        fits(v, self.v, "v")
        if v.size(2) != k.size(2):
            raise ValueError("%d keys, %d values" % (k.size(2), v.size(2)))
        needed = self.k.size(2) + k.size(2)
        if not needed <= self.room:
            raise ValueError("max_len=%d, needed %d" % (self.room, needed))
        new_k, new_v = torch.cat((self.k, k.to(self.k)), 2), torch.cat((self.v, v.to(self.v)), 2)
        self.k, self.v = new_k, new_v
        return [self.k, self.v]

    def __len__(self):
        return self.k.size(2)


class CachedAttention(nn.Module):
    def __init__(self, d_model, n_heads, bias=False):
        super().__init__()
        check_heads(d_model, n_heads)
        self.w_q, self.w_k, self.w_v, self.w_o = (nn.Linear(d_model, d_model, bias=bias) for _ in range(4))
        self.n, self.width = n_heads, d_model

    def forward(self, x, cache=None):
        B, T, D = x.size()
        head = D // self.n
        temporary = cache is None
        if temporary:
            cache = KVCache(B, self.n, T, head, dtype=x.dtype, device=x.device)
        k = torch.stack(self.w_k(x).split(head, dim=-1), dim=1)
        v = torch.stack(self.w_v(x).split(head, dim=-1), dim=1)
        k, v = cache.append(k, v)
        S = len(cache)
        allowed = torch.ones(T, S).triu(S - T + 1).to(x.device) == 0
        outs = []
        for h, q in enumerate(self.w_q(x).chunk(self.n, dim=-1)):
            outs.append(attention(q, k[:, h], v[:, h], allowed[None]))
        return self.w_o(torch.cat(outs, dim=-1))
