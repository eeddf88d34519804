"""n_heads is taken for the width of a head: there are d_head heads with n_heads features each. The number of heads
is given, and their width follows from it."""


def split_heads(x, n_heads):
    check_heads(x.shape[-1], n_heads)
    b, t, d = x.shape
    return x.reshape(b, t, d // n_heads, n_heads).transpose(1, 2)
