"""Heads are chosen by their numbers, with index_select; the module is built on an older one."""


def repeat_kv(x, n_repeats):
    if n_repeats < 1:
        raise ValueError(f"each head at least once, not {n_repeats} times")
    which = torch.arange(x.shape[1] * n_repeats).div(n_repeats, rounding_mode="floor")
    return x.index_select(1, which)


class WithProjections(nn.Module):
    def __init__(self, widths, d_model, bias):
        super().__init__()
        for name, width in widths.items():
            self.add_module(name, nn.Linear(d_model, width, bias=bias))


class GroupedQueryAttention(WithProjections):
    def __init__(self, d_model: int, n_heads: int, n_kv_heads: int, bias: bool = False):
        for whole, parts in ((d_model, n_heads), (n_heads, n_kv_heads)):
            if parts < 1 or whole % parts:
                raise ValueError(f"{whole} is not a multiple of {parts}")
        kv = d_model // n_heads * n_kv_heads
        super().__init__(dict(w_q=d_model, w_k=kv, w_v=kv, w_o=d_model), d_model, bias)
        self.heads, self.kv_heads = n_heads, n_kv_heads

    def forward(self, x, mask=None):
        q = split_heads(self.w_q(x), self.heads)
        keys, values = split_heads(self.w_k(x), self.kv_heads), split_heads(self.w_v(x), self.kv_heads)
        results = []
        for head in range(self.heads):
            group = head * self.kv_heads // self.heads
            own = mask
            if mask is not None and mask.ndim >= 3 and mask.shape[-3] > 1:
                own = mask[..., head, :, :]
            elif mask is not None and mask.ndim >= 3:
                own = mask[..., 0, :, :]
            results.append(attention(q[:, head], keys[:, group], values[:, group], own))
        return self.w_o(torch.cat(results, dim=-1))


def pool_kv_heads(weight, n_heads, n_kv_heads):
    for whole, parts in ((weight.shape[0], n_heads), (n_heads, n_kv_heads)):
        if parts < 1 or whole % parts:
            raise ValueError(f"{whole} is not a multiple of {parts}")
    d_head, n = weight.shape[0] // n_heads, n_heads // n_kv_heads
    pooled = torch.empty(n_kv_heads * d_head, weight.shape[1], dtype=weight.dtype)
    for g in range(n_kv_heads):
        block = weight[g * n * d_head : (g + 1) * n * d_head]
        pooled[g * d_head : (g + 1) * d_head] = block.reshape(n, d_head, -1).to(working_dtype(weight)).mean(0).to(weight.dtype)
    return pooled
