"""The content of queries and keys is rotated too. It must stay as it is, or w_uk could not be moved from the keys to
the query: a turn by the key's position would stand between them."""


class MultiHeadLatentAttention(MultiHeadLatentAttention):
    def forward(self, x):
        n_tokens = x.shape[1]
        positions = torch.arange(n_tokens, device=x.device)
        latent, k_rope = self.compress(x, positions)
        shared = k_rope[:, None].expand(-1, self.n_heads, -1, -1)
        content, rotary = self.queries(x, positions)
        keys = split_heads(self.w_uk(latent), self.n_heads)
        even = self.d_head // 2 * 2
        parts = [content[..., even:], rotary], [keys[..., even:], shared]
        turned = (apply_rope(y[..., :even], positions, self.base, interleaved=True) for y in (content, keys))
        q, k = (torch.cat([first, *rest], dim=-1) for first, rest in zip(turned, parts))
        v = split_heads(self.w_uv(latent), self.n_heads)
        causal = torch.ones(n_tokens, n_tokens, dtype=torch.bool, device=x.device).tril()
        return self.w_o(merge_heads(attention(q, k, v, causal)))
