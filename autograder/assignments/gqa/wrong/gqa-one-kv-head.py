"""There is one key/value head whatever n_kv_heads says. That is multi-query attention; here w_k and w_v have n_kv_heads
· d_head rows."""


class GroupedQueryAttention(GroupedQueryAttention):
    def __init__(self, d_model, n_heads, n_kv_heads, bias=False):
        super().__init__(d_model, n_heads, n_kv_heads, bias)
        self.n_kv_heads = 1
        self.w_k = nn.Linear(d_model, d_model // n_heads, bias=bias)
        self.w_v = nn.Linear(d_model, d_model // n_heads, bias=bias)
