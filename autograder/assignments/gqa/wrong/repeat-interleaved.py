"""The heads are repeated as a whole, 0 1 2 0 1 2, where each head's copies should stand beside each other, 0 0 1 1 2 2.
Nothing raises an error, but query heads are answered by the head of another group: `repeat` does the former,
`repeat_interleave` the latter."""


def repeat_kv(x, n_repeats):
    if n_repeats < 1:
        raise ValueError(f"{n_repeats} repeats")
    return x.repeat(1, n_repeats, 1, 1)
