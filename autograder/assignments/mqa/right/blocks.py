"""Keys and values are taken in blocks, with an online softmax; the module is a grouped one whose repeats are expanded views."""


def decode_step(q, keys, values):
    if q.shape[2] > 1 or q.shape[2] < 1:
        raise ValueError(f"q has {q.shape[2]} tokens and not 1")
    for x in (keys, values):
        if x.shape[1] != 1:
            raise ValueError(f"{x.shape[1]} heads and not 1")
    check_shapes(q, keys, values)
    wide = working_dtype(q, keys, values)
    rows = q.squeeze(2).to(wide) / q.shape[-1] ** 0.5
    largest = rows.new_full((*rows.shape[:2], 1), -torch.inf)
    total, output = torch.zeros_like(largest), rows.new_zeros(*rows.shape[:2], values.shape[-1])
    for k, v in zip(keys.squeeze(1).split(1000, dim=1), values.squeeze(1).split(1000, dim=1)):
        scores = rows.bmm(k.to(wide).transpose(1, 2))
        new = torch.maximum(largest, scores.amax(-1, keepdim=True))
        powers, shrink = (scores - new).exp(), (largest - new).exp()
        total, output, largest = total * shrink + powers.sum(-1, keepdim=True), output * shrink + powers.bmm(v.to(wide)), new
    return (output / total).unsqueeze(2).to(result_dtype(q))


class MultiQueryAttention(nn.Module):
    def __init__(self, d_model, n_heads, bias=False):
        super().__init__()
        if n_heads == 0 or d_model % n_heads:
            raise ValueError(f"{d_model=}, {n_heads=}")
        self.n_heads, self.d_head = n_heads, d_model // n_heads
        self.w_q = nn.Linear(d_model, n_heads * self.d_head, bias=bias)
        self.w_k = nn.Linear(d_model, self.d_head, bias=bias)
        self.w_v = nn.Linear(d_model, self.d_head, bias=bias)
        self.w_o = nn.Linear(n_heads * self.d_head, d_model, bias=bias)

    def heads(self, x):
        return x.unsqueeze(1).expand(-1, self.n_heads, -1, -1)

    def forward(self, x, mask=None):
        out = attention(split_heads(self.w_q(x), self.n_heads), self.heads(self.w_k(x)), self.heads(self.w_v(x)), mask)
        return self.w_o(merge_heads(out))


def attention_parameters(d_model, n_heads, n_kv_heads, bias=False):
    for big, small in ((d_model, n_heads), (n_heads, n_kv_heads)):
        if small <= 0 or big % small:
            raise ValueError(f"{big}/{small}")
    d_head = d_model // n_heads
    query, key = (d_model + bias) * n_heads * d_head, (d_model + bias) * n_kv_heads * d_head
    return query + 2 * key + (n_heads * d_head + bias) * d_model
