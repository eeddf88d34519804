"""decode with w_q and w_uk multiplied into one matrix for each head, and w_uv and w_o into another, before the token comes in."""


class MultiHeadLatentAttention(MultiHeadLatentAttention):
    def decode(self, x, latent, k_rope, position):
        if latent.shape[-2] != k_rope.shape[-2]:
            raise ValueError("latent has %d tokens, k_rope has %d" % (latent.shape[-2], k_rope.shape[-2]))
        H, D, R, P = self.n_heads, self.d_head, self.d_latent, self.d_rope
        wide = torch.promote_types(x.dtype, torch.float32)
        w_q, w_uk = self.w_q.weight.reshape(H, D + P, -1).to(wide), self.w_uk.weight.reshape(H, D, R).to(wide)
        w_uv, w_o = self.w_uv.weight.reshape(H, D, R).to(wide), self.w_o.weight.reshape(-1, H, D).to(wide)
        to_latent = w_uk.mT @ w_q[:, :D]  # (H, R, D_model)
        from_latent = torch.einsum("mhd,hdr->hmr", w_o, w_uv)  # (H, D_model, R)
        token = x[:, 0].to(wide)
        rotary = apply_rope(torch.einsum("bm,hpm->bhp", token, w_q[:, D:])[:, :, None], torch.tensor([float(position)]), self.base, True)
        c, k = latent.to(wide), k_rope.to(wide)
        scores = torch.bmm(torch.einsum("bm,hrm->bhr", token, to_latent), c.transpose(1, 2)) + torch.bmm(rotary.squeeze(2), k.transpose(1, 2))
        mixed = torch.bmm(torch.softmax(scores / (D + P) ** 0.5, -1), c)
        return torch.einsum("bhr,hmr->bm", mixed, from_latent).unsqueeze(1).to(x.dtype)
