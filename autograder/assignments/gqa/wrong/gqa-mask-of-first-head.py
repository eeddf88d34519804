"""Of a mask with a part for each query head only the first head's part is used. A mask may be different for each query
head, those that share keys and values as well."""


class GroupedQueryAttention(GroupedQueryAttention):
    def forward(self, x, mask=None):
        if mask is not None and mask.ndim > 2:
            mask = mask[..., :1, :, :]
        q = split_heads(self.w_q(x), self.n_heads)
        k, v = (split_heads(w(x), self.n_kv_heads) for w in (self.w_k, self.w_v))
        n_repeats = self.n_heads // self.n_kv_heads
        k, v = (heads.repeat_interleave(n_repeats, dim=1) for heads in (k, v))
        return self.w_o(merge_heads(attention(q, k, v, mask)))
