"""`n_repeats` is taken for the number of heads that there should be in all. It says how often each head is repeated."""


def repeat_kv(x, n_repeats):
    if n_repeats < 1:
        raise ValueError(f"{n_repeats} repeats")
    return x.repeat_interleave(n_repeats // x.shape[1], dim=1)
