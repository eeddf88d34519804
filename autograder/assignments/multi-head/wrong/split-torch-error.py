"""A width that cannot be shared out fails with an error of PyTorch's or Python's, which speaks of shapes in the
middle of your function. Raise ValueError at the beginning, and name the width and the number of heads."""


def split_heads(x, n_heads):
    return x.unflatten(-1, (n_heads, -1)).transpose(-3, -2)
