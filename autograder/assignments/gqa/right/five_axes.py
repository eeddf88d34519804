"""Nothing is repeated: the heads of a group have an axis of their own, over which the keys and values broadcast."""


class GroupedQueryAttention(nn.Module):
    def __init__(self, d_model, n_heads, n_kv_heads, bias=False):
        super().__init__()
        check_heads(d_model, n_heads)
        if n_kv_heads == 0 or n_heads % n_kv_heads > 0:
            raise ValueError(f"n_heads ({n_heads}) is no multiple of n_kv_heads ({n_kv_heads})")
        d_head = d_model // n_heads
        self.shape = (n_kv_heads, n_heads // n_kv_heads, d_head)
        self.register_buffer("scale", torch.tensor(d_head).rsqrt(), persistent=False)
        self.w_q, self.w_o = nn.Linear(d_model, d_model, bias), nn.Linear(d_model, d_model, bias)
        self.w_k, self.w_v = nn.Linear(d_model, n_kv_heads * d_head, bias), nn.Linear(d_model, n_kv_heads * d_head, bias)

    def forward(self, x, mask=None):
        b, t, _ = x.shape
        n_kv_heads, group, d_head = self.shape
        q = self.w_q(x).view(b, t, n_kv_heads, group, d_head).permute(0, 2, 3, 1, 4)
        k, v = (w(x).view(b, t, n_kv_heads, 1, d_head).permute(0, 2, 3, 1, 4) for w in (self.w_k, self.w_v))
        if mask is not None:
            mask = mask.expand(b, n_kv_heads * group, t, t).reshape(b, n_kv_heads, group, t, t)
        out = attention(q, k, v, mask)
        return self.w_o(out.permute(0, 3, 1, 2, 4).reshape(b, t, -1))


def repeat_kv(x, n_repeats):
    if n_repeats < 1:
        raise ValueError(f"n_repeats={n_repeats}")
    return x.repeat(1, 1, n_repeats, 1).reshape(x.shape[0], -1, x.shape[2], x.shape[3])


def pool_kv_heads(weight, n_heads, n_kv_heads):
    check_heads(len(weight), n_heads)
    if n_kv_heads < 1 or n_heads % n_kv_heads:
        raise ValueError(f"{n_heads} {n_kv_heads}")
    groups = torch.arange(n_heads) // (n_heads // n_kv_heads)
    mix = (groups == torch.arange(n_kv_heads)[:, None]).to(working_dtype(weight))
    mix = mix / mix.sum(dim=1, keepdim=True)
    heads = weight.to(mix.dtype).reshape(n_heads, -1)
    return (mix @ heads).reshape(-1, weight.shape[1]).to(result_dtype(weight))
