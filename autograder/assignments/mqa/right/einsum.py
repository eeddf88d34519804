"""Everything by einsum; the module takes two axes for the heads of the queries, and none for those of the keys."""


class MultiQueryAttention(nn.Module):
    def __init__(self, d_model, n_heads, bias=False):
        super().__init__()
        if n_heads < 1 or d_model % n_heads:
            raise ValueError(f"{d_model} cannot be divided by {n_heads}")
        self.H, self.Dh = n_heads, d_model // n_heads
        self.w_q, self.w_k, self.w_v, self.w_o = (nn.Linear(d_model, width, bias=bias) for width in (d_model, self.Dh, self.Dh, d_model))
        self.register_buffer("kept", torch.zeros(3))

    def forward(self, x, mask=None):
        q = self.w_q(x).view(*x.shape[:2], self.H, self.Dh)
        scores = torch.einsum("bthd,bsd->bhts", q.double(), self.w_k(x).double()) / self.Dh**0.5
        if mask is None:
            mask = torch.ones((), dtype=torch.bool)
        scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
        weights = torch.softmax(scores, -1) * mask
        out = torch.einsum("bhts,bsd->bthd", weights, self.w_v(x).double())
        return self.w_o(out.flatten(2).to(x.dtype))


def decode_step(q, keys, values):
    b, h, one, d = q.shape
    if one != 1 or keys.shape[1] != 1 or values.shape[1] != 1:
        raise ValueError(f"one token and one head are wanted (1), not {one}, {keys.shape[1]}, {values.shape[1]}")
    if keys.shape[-1] != d or keys.shape[2] != values.shape[2]:
        raise ValueError(f"{d} {keys.shape[-1]}, {keys.shape[2]} {values.shape[2]}")
    if not b == keys.shape[0] == values.shape[0]:
        raise ValueError(f"batches of {b}, {keys.shape[0]} and {values.shape[0]}")
    scores = torch.einsum("bhqd,bkd->bhqk", q.double(), keys.squeeze(1).double()) / d**0.5
    return torch.einsum("bhqk,bkv->bhqv", scores.softmax(-1), values.squeeze(1).double()).type_as(q)


def attention_parameters(d_model, n_heads, n_kv_heads, bias=False):
    if n_heads < 1 or d_model % n_heads or n_kv_heads < 1 or n_heads % n_kv_heads:
        raise ValueError(f"{d_model} {n_heads} {n_kv_heads}")
    rows = d_model + 2 * (d_model * n_kv_heads // n_heads) + d_model
    return rows * (d_model + int(bias))
