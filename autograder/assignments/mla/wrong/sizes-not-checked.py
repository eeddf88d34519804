"""A layer without heads, or with an odd number of rotary channels, is made without a word. Rotary channels come in
pairs, and a layer needs a head: raise ValueError in __init__, with the numbers."""


class MultiHeadLatentAttention(MultiHeadLatentAttention):
    def __init__(self, d_model, n_heads, d_head, d_latent, d_rope, base=10000.0):
        nn.Module.__init__(self)
        self.n_heads, self.d_head, self.d_latent, self.d_rope, self.base = n_heads, d_head, d_latent, d_rope, base
        self.w_q = nn.Linear(d_model, n_heads * (d_head + d_rope), bias=False)
        self.w_dkv = nn.Linear(d_model, d_latent, bias=False)
        self.norm = nn.RMSNorm(d_latent, eps=1e-6)
        self.w_kr = nn.Linear(d_model, d_rope, bias=False)
        self.w_uk = nn.Linear(d_latent, n_heads * d_head, bias=False)
        self.w_uv = nn.Linear(d_latent, n_heads * d_head, bias=False)
        self.w_o = nn.Linear(n_heads * d_head, d_model, bias=False)
