"""The numbers are right, and the gradient ends here: nothing before this function could learn. Move the tensor's
numbers with the tensor's own methods, without detach, NumPy or a new tensor made from them."""

right_split_heads = split_heads


def split_heads(x, n_heads):
    return right_split_heads(x.detach(), n_heads)
