"""There is one query head as well, so that only one question is asked. Keys and values are shared, the queries are not:
w_q has d_model rows and w_o as many columns."""


class MultiQueryAttention(MultiQueryAttention):
    def __init__(self, d_model, n_heads, bias=False):
        super().__init__(d_model, n_heads, bias)
        self.w_q = nn.Linear(d_model, d_model // n_heads, bias=bias)
        self.w_o = nn.Linear(d_model // n_heads, d_model, bias=bias)

    def forward(self, x, mask=None):
        q, k, v = (w(x)[:, None] for w in (self.w_q, self.w_k, self.w_v))
        return self.w_o(merge_heads(attention(q, k, v, mask)))
