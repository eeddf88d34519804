"""The result is float32 whatever came in. Repeating computes nothing, so the dtype stays."""


def repeat_kv(x, n_repeats):
    if n_repeats < 1:
        raise ValueError(f"{n_repeats} repeats")
    return x.repeat_interleave(n_repeats, dim=1).float()
