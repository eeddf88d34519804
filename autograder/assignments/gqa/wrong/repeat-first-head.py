"""Every query head gets key/value head 0, and the others are never used. Each head has to be repeated, not the first one
alone."""


def repeat_kv(x, n_repeats):
    if n_repeats < 1:
        raise ValueError(f"{n_repeats} repeats")
    return x[:, :1].expand(-1, n_repeats * x.shape[1], -1, -1)
