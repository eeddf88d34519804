"""A loop over sequences and heads, and the parameters of a module that is made to be counted."""


def decode_step(q, keys, values):
    if q.size(2) != 1:
        raise ValueError(f"{q.size(2)} tokens instead of 1")
    if keys.size(1) != 1 or values.size(1) != 1:
        raise ValueError(f"there must be 1 kv head: {keys.size(1)}, {values.size(1)}")
    if len(q) != len(keys) or len(q) != len(values):
        raise ValueError(f"batch {len(q)} / {len(keys)} / {len(values)}")
    if q.size(3) != keys.size(3):
        raise ValueError(f"d_head {q.size(3)} / {keys.size(3)}")
    if keys.size(2) != values.size(2):
        raise ValueError(f"{keys.size(2)} keys, {values.size(2)} values")
    out = torch.empty(q.size(0), q.size(1), 1, values.size(3), dtype=q.dtype)
    for b in range(q.size(0)):
        k, v = keys[b, 0].float() if q.dtype != torch.float64 else keys[b, 0], values[b, 0].float() if q.dtype != torch.float64 else values[b, 0]
        for h in range(q.size(1)):
            scores = torch.mv(k, q[b, h, 0].to(k.dtype)) * q.size(3) ** -0.5
            weights = torch.exp(scores - torch.max(scores))
            out[b, h, 0] = (torch.matmul(weights, v) / weights.sum()).to(q.dtype)
    return out


class MultiQueryAttention(nn.Module):
    def __init__(self, d_model, n_heads, bias=False):
        check_heads(d_model, n_heads)
        super().__init__()
        self.heads = n_heads
        for name in "qkvo":
            setattr(self, f"w_{name}", nn.Linear(d_model, d_model // n_heads if name in "kv" else d_model, bias))

    def forward(self, x, mask=None):
        keys, values, queries = self.w_k(x), self.w_v(x), self.w_q(x).chunk(self.heads, dim=-1)
        if mask is not None:
            mask = torch.broadcast_to(mask, (x.shape[0], self.heads, x.shape[1], x.shape[1]))
        heads = [attention(query, keys, values, None if mask is None else mask[:, h]) for h, query in enumerate(queries)]
        return self.w_o(torch.cat(heads, dim=2))


def attention_parameters(d_model, n_heads, n_kv_heads, bias=False):
    if n_heads <= 0 or d_model % n_heads != 0:
        raise ValueError(f"d_model={d_model}, n_heads={n_heads}")
    if n_kv_heads <= 0 or n_heads % n_kv_heads != 0:
        raise ValueError(f"n_heads={n_heads}, n_kv_heads={n_kv_heads}")
    kv = d_model // n_heads * n_kv_heads
    layers = [nn.Linear(d_model, width, bias=bias, device="meta") for width in (d_model, kv, kv, d_model)]
    return sum(parameter.numel() for layer in layers for parameter in layer.parameters())
