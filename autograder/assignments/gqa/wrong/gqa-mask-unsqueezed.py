"""The mask gets another axis inside the module. It broadcasts to (B, H, T, T) as it comes, so hand it on as it is:
whoever has a mask of shape (B, T, T) adds the axis for the heads before the call."""


class GroupedQueryAttention(GroupedQueryAttention):
    def forward(self, x, mask=None):
        if mask is not None and mask.ndim > 1:
            mask = mask.unsqueeze(1)
        q = split_heads(self.w_q(x), self.n_heads)
        k, v = (split_heads(w(x), self.n_kv_heads) for w in (self.w_k, self.w_v))
        n_repeats = self.n_heads // self.n_kv_heads
        k, v = (heads.repeat_interleave(n_repeats, dim=1) for heads in (k, v))
        return self.w_o(merge_heads(attention(q, k, v, mask)))
