"""A reshape alone makes heads of the features, so that tokens end up in the wrong heads. Split the last axis into heads
and d_head first, then let heads and tokens change places."""


class GroupedQueryAttention(GroupedQueryAttention):
    def forward(self, x, mask=None):
        q = self.w_q(x).reshape(x.shape[0], self.n_heads, x.shape[1], -1)
        k, v = (w(x).reshape(x.shape[0], self.n_kv_heads, x.shape[1], -1) for w in (self.w_k, self.w_v))
        n_repeats = self.n_heads // self.n_kv_heads
        k, v = (heads.repeat_interleave(n_repeats, dim=1) for heads in (k, v))
        return self.w_o(merge_heads(attention(q, k, v, mask)))
