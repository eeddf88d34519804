"""A loop over the heads, in forward and in decode, which works through the cache in blocks and never holds all scores; forward by decode's own means."""

import torch.nn.functional as F


def mla_cache_bytes(n_layers, d_latent, d_rope, seq_len, batch_size=1, bytes_per_element=2):
    per_token = sum([d_latent, d_rope]) * bytes_per_element
    return sum(per_token * seq_len * batch_size for _ in range(n_layers))


class MultiHeadLatentAttention(MultiHeadLatentAttention):
    def forward(self, x):
        outputs = []
        latent, k_rope = self.compress(x, torch.arange(x.size(1)))
        for t in range(x.size(1)):
            outputs.append(self.decode(x[:, t : t + 1], latent[:, : t + 1], k_rope[:, : t + 1], t))
        return torch.cat(outputs, dim=1)

    def decode(self, x, latent, k_rope, position):
        self.check_cache(x, latent, k_rope)
        wide = torch.promote_types(x.dtype, torch.float32)
        width = self.d_head + self.d_rope
        projected = F.linear(x, self.w_q.weight)[:, 0]
        heads = []
        for h in range(self.n_heads):
            rows = slice(h * self.d_head, (h + 1) * self.d_head)
            q = projected[:, h * width : (h + 1) * width]
            turned = apply_rope(q[:, None, self.d_head :], torch.tensor([position]), self.base, interleaved=True)[:, 0].to(wide)
            absorbed = q[:, : self.d_head].to(wide) @ self.w_uk.weight[rows].to(wide)
            total = torch.zeros(len(x), 1, dtype=wide)
            mixed = torch.zeros(len(x), latent.size(2), dtype=wide)
            largest = torch.full((len(x), 1), -math.inf, dtype=wide)
            for c, k in zip(latent.split(1000, dim=1), k_rope.split(1000, dim=1)):
                s = ((c.to(wide) @ absorbed[:, :, None])[..., 0] + (k.to(wide) @ turned[:, :, None])[..., 0]) / math.sqrt(width)
                new = torch.maximum(largest, s.amax(-1, keepdim=True))
                e, shrink = torch.exp(s - new), torch.exp(largest - new)
                total, mixed, largest = total * shrink + e.sum(-1, keepdim=True), mixed * shrink + (e[:, None] @ c.to(wide))[:, 0], new
            heads.append(F.linear(mixed / total, self.w_uv.weight[rows].to(wide)))
        return self.w_o(torch.cat(heads, dim=-1)[:, None].to(x.dtype))
