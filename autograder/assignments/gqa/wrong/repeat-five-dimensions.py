"""The copies stand on an axis of their own. To attention they have to be heads like others: merge that axis with the one
of the heads."""


def repeat_kv(x, n_repeats):
    if n_repeats < 1:
        raise ValueError(f"{n_repeats} repeats")
    return x[:, :, None].expand(-1, -1, n_repeats, -1, -1)
