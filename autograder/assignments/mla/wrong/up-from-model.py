"""w_uk and w_uv are made for the token x. They go up from the latent: d_latent numbers go in."""


class MultiHeadLatentAttention(MultiHeadLatentAttention):
    def __init__(self, d_model, n_heads, d_head, d_latent, d_rope, base=10000.0):
        super().__init__(d_model, n_heads, d_head, d_latent, d_rope, base)
        self.w_uk = nn.Linear(d_model, n_heads * d_head, bias=False)
        self.w_uv = nn.Linear(d_model, n_heads * d_head, bias=False)
