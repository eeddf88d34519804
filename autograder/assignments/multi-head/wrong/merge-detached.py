"""The numbers are right, and the gradient ends here: nothing before this function could learn. Move the tensor's
numbers with the tensor's own methods, without detach, NumPy or a new tensor made from them."""

right_merge_heads = merge_heads


def merge_heads(x):
    return right_merge_heads(x.detach())
