"""The output is float32 whatever came in. A module in float64 or bfloat16 gives its own dtype. Leave the dtype to the
layers and to `attention`."""


class GroupedQueryAttention(GroupedQueryAttention):
    def forward(self, x, mask=None):
        q = split_heads(self.w_q(x), self.n_heads)
        k, v = (split_heads(w(x), self.n_kv_heads) for w in (self.w_k, self.w_v))
        n_repeats = self.n_heads // self.n_kv_heads
        k, v = (heads.repeat_interleave(n_repeats, dim=1) for heads in (k, v))
        return self.w_o(merge_heads(attention(q, k, v, mask))).float()
