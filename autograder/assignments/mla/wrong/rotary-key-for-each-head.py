"""w_kr makes a rotary key for each head. All heads share one: it is cached, and with H of them the cache would hold H ·
d_rope numbers a token in place of d_rope."""


class MultiHeadLatentAttention(MultiHeadLatentAttention):
    def __init__(self, d_model, n_heads, d_head, d_latent, d_rope, base=10000.0):
        super().__init__(d_model, n_heads, d_head, d_latent, d_rope, base)
        self.w_kr = nn.Linear(d_model, n_heads * d_rope, bias=False)

    def compress(self, x, positions):
        k_rope = split_heads(self.w_kr(x), self.n_heads)
        return self.norm(self.w_dkv(x)), apply_rope(k_rope, positions, self.base, interleaved=True)

    def forward(self, x):
        n_tokens = x.shape[1]
        positions = torch.arange(n_tokens, device=x.device)
        latent, k_rope = self.compress(x, positions)
        q = torch.cat(self.queries(x, positions), dim=-1)
        k = torch.cat([split_heads(self.w_uk(latent), self.n_heads), k_rope], dim=-1)
        v = split_heads(self.w_uv(latent), self.n_heads)
        causal = torch.ones(n_tokens, n_tokens, dtype=torch.bool, device=x.device).tril()
        return self.w_o(merge_heads(attention(q, k, v, causal)))
