"""The mask is True for the padding and False for the tokens. True means may attend."""

right_padding_mask = padding_mask


def padding_mask(lengths, n_keys):
    return ~right_padding_mask(lengths, n_keys)
