"""w_k and w_v have as many heads as there are query heads in a group, and it should be as many as there are groups:
n_kv_heads · d_head rows."""


class GroupedQueryAttention(GroupedQueryAttention):
    def __init__(self, d_model, n_heads, n_kv_heads, bias=False):
        super().__init__(d_model, n_heads, n_kv_heads, bias)
        width = d_model // n_kv_heads
        self.w_k, self.w_v = (nn.Linear(d_model, width, bias=bias) for _ in range(2))

    def forward(self, x, mask=None):
        n_kv_heads = self.n_heads // self.n_kv_heads
        q = split_heads(self.w_q(x), self.n_heads)
        k, v = (split_heads(w(x), n_kv_heads).repeat_interleave(self.n_kv_heads, dim=1) for w in (self.w_k, self.w_v))
        return self.w_o(merge_heads(attention(q, k, v, mask)))
