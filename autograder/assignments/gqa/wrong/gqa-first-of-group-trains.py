"""Only the first query head of each group passes a gradient on to the keys and values. They are shared, so they learn
from all query heads of their group: the gradients of all copies add up."""


class GroupedQueryAttention(GroupedQueryAttention):
    def forward(self, x, mask=None):
        q = split_heads(self.w_q(x), self.n_heads)
        k, v = (split_heads(w(x), self.n_kv_heads) for w in (self.w_k, self.w_v))
        n_repeats = self.n_heads // self.n_kv_heads
        first = (torch.arange(self.n_heads) % n_repeats == 0)[:, None, None]
        k, v = (heads.repeat_interleave(n_repeats, dim=1) for heads in (k, v))
        k, v = (torch.where(first, heads, heads.detach()) for heads in (k, v))
        return self.w_o(merge_heads(attention(q, k, v, mask)))
