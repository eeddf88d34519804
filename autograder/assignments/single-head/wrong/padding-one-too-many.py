"""One padding token is let through in each sequence. A sequence of length 3 has the keys 0, 1 and 2: compare with < and
not with ≤."""

right_padding_mask = padding_mask


def padding_mask(lengths, n_keys):
    right_padding_mask(lengths, n_keys)
    return np.arange(n_keys) <= np.asarray(lengths)[:, None, None]
