"""The mixed latents go out through w_uk. Keys and values come from the same latent, but each by its own layer: values
by w_uv."""


class MultiHeadLatentAttention(MultiHeadLatentAttention):
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
        output = torch.einsum("bhr,hdr->bhd", mixed, w_uk)
        return self.w_o(output.flatten(1)[:, None].to(x.dtype))
