"""The heads' features alternate: first the first one of each head, then the second one of each. Each head's
features belong together: all of head 0, then all of head 1."""


def merge_heads(x):
    return x.permute(0, 2, 3, 1).flatten(-2)
