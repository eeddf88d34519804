"""The rotary key is made from the normed latent, or normed itself. Norm is for the latent alone: w_kr takes x, and its
result is only turned."""


class MultiHeadLatentAttention(MultiHeadLatentAttention):
    def compress(self, x, positions):
        latent = self.norm(self.w_dkv(x))
        k_rope = apply_rope(nn.functional.rms_norm(self.w_kr(x), (self.d_rope,), eps=1e-6), positions, self.base, interleaved=True)
        return latent, k_rope
