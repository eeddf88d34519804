"""decode goes through the cache a few tokens at a time, with the online softmax."""


class MultiHeadLatentAttention(nn.Module):
    def __init__(self, d_model, n_heads, d_head, d_latent, d_rope, base=10000.0):
        super().__init__()
        if n_heads <= 0:
            raise ValueError(f"n_heads is {n_heads}")
        if d_rope % 2 == 1:
            raise ValueError(f"d_rope is {d_rope}, an odd number")
        self.sizes = n_heads, d_head, d_latent, d_rope
        self.w_q = nn.Linear(d_model, n_heads * (d_head + d_rope), bias=False)
        self.w_dkv = nn.Linear(d_model, d_latent, bias=False)
        self.norm = nn.RMSNorm(d_latent, eps=1e-6)
        self.w_kr = nn.Linear(d_model, d_rope, bias=False)
        self.w_uk = nn.Linear(d_latent, n_heads * d_head, bias=False)
        self.w_uv = nn.Linear(d_latent, n_heads * d_head, bias=False)
        self.w_o = nn.Linear(n_heads * d_head, d_model, bias=False)
        steps = torch.arange(0, d_rope, 2, dtype=torch.float32) / d_rope
        self.register_buffer("frequencies", torch.exp(-math.log(base) * steps).double(), persistent=False)

    def turn(self, x, positions):
        angles = positions[..., None].double() * self.frequencies.double()
        if x.dim() == 4 and angles.dim() == 3:
            angles = angles[:, None]
        pairs = torch.view_as_complex(x.double().reshape(*x.shape[:-1], -1, 2).contiguous())
        return torch.view_as_real(pairs * torch.polar(torch.ones_like(angles), angles)).reshape(x.shape).to(x.dtype)

    def compress(self, x, positions):
        return self.norm(self.w_dkv(x)), self.turn(self.w_kr(x), positions)

    def forward(self, x):
        h, d, r, p = self.sizes
        b, t, _ = x.shape
        where = torch.arange(t)
        c, k_rope = self.compress(x, where)
        q = self.w_q(x).view(b, t, h, d + p).permute(0, 2, 1, 3)
        wide = torch.promote_types(x.dtype, torch.float32)
        keys = self.w_uk(c).view(b, t, h, d)
        values = self.w_uv(c).view(b, t, h, d)
        s = torch.einsum("bhid,bjhd->bhij", q[..., :d].to(wide), keys.to(wide))
        s = s + torch.einsum("bhip,bjp->bhij", self.turn(q[..., d:], where).to(wide), k_rope.to(wide))
        s = s * (d + p) ** -0.5 + torch.full((t, t), -torch.inf, dtype=wide).triu(1)
        return self.w_o(torch.einsum("bhij,bjhd->bihd", s.softmax(-1), values.to(wide)).reshape(b, t, h * d).to(x.dtype))

    def decode(self, x, latent, k_rope, position):
        h, d, r, p = self.sizes
        if latent.size(1) != k_rope.size(1):
            raise ValueError(f"{latent.size(1)} != {k_rope.size(1)}")
        q = self.w_q(x).view(-1, h, d + p)
        turned = self.turn(q[:, :, None, d:], torch.tensor([position]))[:, :, 0]
        absorbed = torch.einsum("bhd,hdr->bhr", q[..., :d].double(), self.w_uk.weight.view(h, d, r).double())
        largest, total, mixed = torch.full((len(x), h, 1), -torch.inf).double(), 0, 0
        for begin in range(0, latent.shape[1], 4):
            some, keys = latent[:, begin : begin + 4].double(), k_rope[:, begin : begin + 4].double()
            s = (torch.einsum("bhr,bsr->bhs", absorbed, some) + torch.einsum("bhp,bsp->bhs", turned.double(), keys)) * (d + p) ** -0.5
            higher = torch.maximum(largest, s.amax(-1, keepdim=True))
            powers, shrink = (s - higher).exp(), (largest - higher).exp()
            total = total * shrink + powers.sum(-1, keepdim=True)
            mixed = mixed * shrink + torch.einsum("bhs,bsr->bhr", powers, some)
            largest = higher
        mixed = mixed / total
        out = torch.einsum("bhr,hdr->bhd", mixed, self.w_uv.weight.view(h, d, r).double())
        return self.w_o(out.reshape(x.shape[0], 1, h * d).to(x.dtype))
