"""The rotary keys are turned as if the tokens stood at 0, 1, 2 and so on. compress is told where they stand: use its
`positions`."""


class MultiHeadLatentAttention(MultiHeadLatentAttention):
    def compress(self, x, positions):
        latent = self.norm(self.w_dkv(x))
        k_rope = apply_rope(self.w_kr(x), torch.arange(x.shape[1], device=x.device), self.base, interleaved=True)
        return latent, k_rope
