"""The module keeps keys and values from one call to the next, so that the same input gives another output the second
time. A cache is something that the caller hands in; this module has none."""


class MultiQueryAttention(MultiQueryAttention):
    kept = None

    def forward(self, x, mask=None):
        q = split_heads(self.w_q(x), self.n_heads)
        k, v = (w(x)[:, None] for w in (self.w_k, self.w_v))
        if self.kept is not None and self.kept[0].shape[0] == x.shape[0] and mask is None:
            k, v = (torch.cat(pair, dim=2) for pair in zip(self.kept, (k, v)))
        self.kept = k.detach(), v.detach()
        return self.w_o(merge_heads(attention(q, k, v, mask)))
