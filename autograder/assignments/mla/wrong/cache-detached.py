"""No gradient passes through latent and rotary key, so that neither w_dkv nor w_kr is trained. forward takes both from
compress as they are: no `.detach()`, and no torch.no_grad()."""


class MultiHeadLatentAttention(MultiHeadLatentAttention):
    def forward(self, x):
        n_tokens = x.shape[1]
        positions = torch.arange(n_tokens, device=x.device)
        with torch.no_grad():
            latent, k_rope = self.compress(x, positions)
        shared = k_rope[:, None].expand(-1, self.n_heads, -1, -1)
        q = torch.cat(self.queries(x, positions), dim=-1)
        k = torch.cat([split_heads(self.w_uk(latent), self.n_heads), shared], dim=-1)
        v = split_heads(self.w_uv(latent), self.n_heads)
        causal = torch.ones(n_tokens, n_tokens, dtype=torch.bool, device=x.device).tril()
        return self.w_o(merge_heads(attention(q, k, v, causal)))
