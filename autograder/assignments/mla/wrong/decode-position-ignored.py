"""decode does not turn its query, or turns it as if it stood at position 0. Turn it by `position`: the keys of the
cache have been turned by theirs."""


class MultiHeadLatentAttention(MultiHeadLatentAttention):
    def decode(self, x, latent, k_rope, position):
        self.check_cache(x, latent, k_rope)
        dtype = working_dtype(x, latent, k_rope)
        content, rotary = self.queries(x, torch.tensor([0], device=x.device))
        w_uk, w_uv = (w.weight.unflatten(0, (self.n_heads, self.d_head)).to(dtype) for w in (self.w_uk, self.w_uv))
        latent, k_rope = latent.to(dtype), k_rope.to(dtype)
        q_latent = torch.einsum("bhd,hdr->bhr", content[:, :, 0].to(dtype), w_uk)
        scores = q_latent @ latent.mT + rotary[:, :, 0].to(dtype) @ k_rope.mT
        weights = torch.softmax(scores / math.sqrt(self.d_head + self.d_rope), dim=-1)
        mixed = weights @ latent
        output = torch.einsum("bhr,hdr->bhd", mixed, w_uv)
        return self.w_o(output.flatten(1)[:, None].to(x.dtype))
