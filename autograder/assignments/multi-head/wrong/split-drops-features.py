"""A width that is no multiple of the number of heads is accepted, and the features that are left over are lost
without a word. Raise ValueError and name both numbers."""


def split_heads(x, n_heads):
    d_head = x.shape[-1] // max(n_heads, 1)
    return x[..., : max(n_heads, 1) * d_head].unflatten(-1, (max(n_heads, 1), d_head)).transpose(-3, -2)
