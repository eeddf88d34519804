"""The latent is cached as w_dkv gives it. Norm belongs on it before it is cached, so that decode finds what forward
has used."""


class MultiHeadLatentAttention(MultiHeadLatentAttention):
    def compress(self, x, positions):
        latent = self.w_dkv(x)
        k_rope = apply_rope(self.w_kr(x), positions, self.base, interleaved=True)
        return latent, k_rope

    def forward(self, x):
        n_tokens = x.shape[1]
        positions = torch.arange(n_tokens, device=x.device)
        latent, k_rope = self.compress(x, positions)
        shared = k_rope[:, None].expand(-1, self.n_heads, -1, -1)
        latent = self.norm(latent)
        q = torch.cat(self.queries(x, positions), dim=-1)
        k = torch.cat([split_heads(self.w_uk(latent), self.n_heads), shared], dim=-1)
        v = split_heads(self.w_uv(latent), self.n_heads)
        causal = torch.ones(n_tokens, n_tokens, dtype=torch.bool, device=x.device).tril()
        return self.w_o(merge_heads(attention(q, k, v, causal)))
