"""The mask gets another axis inside the module. It broadcasts to (B, H, T, T) as it comes, so hand it on as it is:
whoever has a mask of shape (B, T, T) adds the axis for the heads before the call."""


class MultiQueryAttention(MultiQueryAttention):
    def forward(self, x, mask=None):
        if mask is not None and mask.ndim > 1:
            mask = mask.unsqueeze(1)
        q = split_heads(self.w_q(x), self.n_heads)
        k, v = (w(x)[:, None] for w in (self.w_k, self.w_v))
        return self.w_o(merge_heads(attention(q, k, v, mask)))
