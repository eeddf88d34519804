"""The sequences of the batch are repeated, and there are as few heads as before. The heads are the second axis of (B, G,
S, d_head)."""


def repeat_kv(x, n_repeats):
    if n_repeats < 1:
        raise ValueError(f"{n_repeats} repeats")
    return x.repeat_interleave(n_repeats, dim=0)
