"""The result is float32 whatever came in. It has the dtype of x, and where that is float64 it is computed in float64."""


class MultiHeadLatentAttention(MultiHeadLatentAttention):
    def forward(self, x):
        n_tokens = x.shape[1]
        positions = torch.arange(n_tokens, device=x.device)
        latent, k_rope = self.compress(x, positions)
        shared = k_rope[:, None].expand(-1, self.n_heads, -1, -1)
        q = torch.cat(self.queries(x, positions), dim=-1)
        k = torch.cat([split_heads(self.w_uk(latent), self.n_heads), shared], dim=-1)
        v = split_heads(self.w_uv(latent), self.n_heads)
        causal = torch.ones(n_tokens, n_tokens, dtype=torch.bool, device=x.device).tril()
        return self.w_o(merge_heads(attention(q, k, v, causal))).float()

    def decode(self, x, latent, k_rope, position):
        self.check_cache(x, latent, k_rope)
        dtype = working_dtype(x, latent, k_rope)
        content, rotary = self.queries(x, torch.tensor([position], device=x.device))
        w_uk, w_uv = (w.weight.unflatten(0, (self.n_heads, self.d_head)).to(dtype) for w in (self.w_uk, self.w_uv))
        latent, k_rope = latent.to(dtype), k_rope.to(dtype)
        q_latent = torch.einsum("bhd,hdr->bhr", content[:, :, 0].to(dtype), w_uk)
        scores = q_latent @ latent.mT + rotary[:, :, 0].to(dtype) @ k_rope.mT
        weights = torch.softmax(scores / math.sqrt(self.d_head + self.d_rope), dim=-1)
        mixed = weights @ latent
        output = torch.einsum("bhr,hdr->bhd", mixed, w_uv)
        return self.w_o(output.flatten(1)[:, None].to(x.dtype)).float()
