"""w_uk and w_uv have biases. All layers are nn.Linear(…, bias=False): a bias in w_uv would be missing from the absorbed
form of decode."""


class MultiHeadLatentAttention(MultiHeadLatentAttention):
    def __init__(self, d_model, n_heads, d_head, d_latent, d_rope, base=10000.0):
        super().__init__(d_model, n_heads, d_head, d_latent, d_rope, base)
        self.w_uk = nn.Linear(d_latent, n_heads * d_head)
        self.w_uv = nn.Linear(d_latent, n_heads * d_head)
