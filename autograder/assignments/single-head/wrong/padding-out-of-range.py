"""A length that no sequence can have is accepted. Such a length is a mistake elsewhere, and it is found most easily
here: raise ValueError and name the length and n_keys."""


def padding_mask(lengths, n_keys):
    return np.arange(n_keys) < np.asarray(lengths)[:, None, None]
