"""The mask keeps the last keys of each sequence. The tokens come first and the padding after them."""

right_padding_mask = padding_mask


def padding_mask(lengths, n_keys):
    return right_padding_mask(lengths, n_keys)[..., ::-1]
