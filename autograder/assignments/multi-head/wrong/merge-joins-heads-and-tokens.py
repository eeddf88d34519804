"""The result is as narrow as one head, or still has an axis for the heads. What becomes one axis are heads and d_head, so
they have to stand beside each other: let heads and tokens change places first, then join the last two axes."""


def merge_heads(x):
    return x.flatten(1, 2)
