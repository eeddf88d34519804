"""Decoding as multi-query attention: the latent and the rotary key side by side are the one key head, the latent is its value, and the scale is put right."""


class MultiHeadLatentAttention(MultiHeadLatentAttention):
    def decode(self, x, latent, k_rope, position):
        self.check_cache(x, latent, k_rope)
        content, rotary = self.queries(x, torch.full((1,), position))
        up = self.w_uk.weight.reshape(self.n_heads, self.d_head, self.d_latent).to(working_dtype(x))
        q = torch.cat([(content.transpose(1, 2).to(up.dtype)[..., None, :] @ up)[..., 0, :][:, 0], rotary[:, :, 0].to(up.dtype)], dim=-1)
        q = q * math.sqrt((self.d_latent + self.d_rope) / (self.d_head + self.d_rope))
        mixed = attention(q, torch.cat([latent, k_rope], dim=-1), latent)
        down = self.w_uv.weight.reshape(self.n_heads, self.d_head, self.d_latent).to(mixed.dtype)
        return self.w_o((mixed[:, :, None] @ down.mT).reshape(len(x), 1, -1).to(x.dtype))
