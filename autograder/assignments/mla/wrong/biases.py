"""The layers have biases. They are all nn.Linear(…, bias=False): a bias in w_uv would also be missing from the absorbed
form of decode."""


class MultiHeadLatentAttention(MultiHeadLatentAttention):
    def __init__(self, d_model, n_heads, d_head, d_latent, d_rope, base=10000.0):
        super().__init__(d_model, n_heads, d_head, d_latent, d_rope, base)
        for name in ("w_q", "w_dkv", "w_kr", "w_uk", "w_uv", "w_o"):
            layer = getattr(self, name)
            setattr(self, name, nn.Linear(layer.in_features, layer.out_features))
