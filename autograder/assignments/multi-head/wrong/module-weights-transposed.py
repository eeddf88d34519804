"""A layer's weight is multiplied from the wrong side. nn.Linear keeps its weight as (out, in) and computes x @
weight.T: call the layer, and leave that to it."""


class MultiHeadAttention(MultiHeadAttention):
    def forward(self, x, mask=None):
        q, k, v = (split_heads(x @ w.weight + (0 if w.bias is None else w.bias), self.n_heads) for w in (self.w_q, self.w_k, self.w_v))
        return self.w_o(merge_heads(attention(q, k, v, mask)))
