"""Scaled dot-product attention with one head, in NumPy (Vaswani et al. 2017, equation 1)."""

import numpy as np


def result_dtype(x):
    """The dtype a result has: that of x, or float64 where x holds no floating-point numbers."""
    dtype = np.asarray(x).dtype
    return dtype if np.issubdtype(dtype, np.floating) else np.dtype(np.float64)


def working_dtype(*arrays):
    """The dtype to compute in: the widest of the results' dtypes, float32 at the least."""
    return np.result_type(np.float32, *(result_dtype(x) for x in arrays))


def softmax(x, axis=-1):
    """Exponentials of x, divided by their sum along an axis.

    x: any shape. Returns the same shape, in `result_dtype(x)`; computed in `working_dtype(x)`.
    Large entries do not overflow. A row that is −∞ throughout gives zeros.
    """
    scores = np.asarray(x, dtype=working_dtype(x))
    largest = np.max(scores, axis=axis, keepdims=True, initial=-np.inf)
    largest = np.where(np.isneginf(largest), 0, largest)  # −∞ − (−∞) would be NaN
    exponentials = np.exp(scores - largest)
    total = np.sum(exponentials, axis=axis, keepdims=True)
    return (exponentials / np.where(total == 0, 1, total)).astype(result_dtype(x))


def attention(q, k, v, mask=None):
    """Each query's weighted sum of the values (Vaswani et al. 2017, equation 1).

    q (..., L, Dh), k (..., S, Dh), v (..., S, Dv); leading dimensions broadcast.
    mask: boolean, True = may attend, broadcastable to (..., L, S).
    Returns (output, weights): (..., L, Dv) and (..., L, S), in `result_dtype(q)`, computed in `working_dtype(q, k, v)`.
    A query that may see no key gives zeros in both.
    Raises ValueError, naming the two numbers, where sizes disagree, and TypeError where the mask is not boolean.
    """
    check_shapes(q, k, v)
    dtype = working_dtype(q, k, v)
    d_head = q.shape[-1]
    scores = q.astype(dtype) @ np.swapaxes(k.astype(dtype), -1, -2) / np.sqrt(d_head, dtype=dtype)  # (..., L, S)
    if mask is not None:
        check_mask(mask, scores.shape)
        scores = np.where(mask, scores, -np.inf)
    weights = softmax(scores)
    output = weights @ v.astype(dtype)  # (..., L, Dv)
    return output.astype(result_dtype(q)), weights.astype(result_dtype(q))


def check_shapes(q, k, v):
    """Raise ValueError, with the two numbers that disagree, unless q, k and v fit together."""
    if q.shape[-1] != k.shape[-1]:
        raise ValueError(f"queries have d_head {q.shape[-1]}, keys have {k.shape[-1]}")
    if k.shape[-2] != v.shape[-2]:
        raise ValueError(f"there are {k.shape[-2]} keys, but {v.shape[-2]} values")
    try:
        np.broadcast_shapes(q.shape[:-2], k.shape[:-2], v.shape[:-2])
    except ValueError:
        raise ValueError(f"leading dimensions do not broadcast: {q.shape[:-2]}, {k.shape[:-2]}, {v.shape[:-2]}") from None


def check_mask(mask, shape):
    """Raise TypeError unless the mask is boolean, ValueError unless it broadcasts to the scores' shape."""
    if np.asarray(mask).dtype != np.bool_:
        raise TypeError(f"a mask is boolean, this one is {np.asarray(mask).dtype}")
    try:
        np.broadcast_to(mask, shape)
    except ValueError:
        raise ValueError(f"a mask of shape {np.shape(mask)} does not broadcast to the scores' shape {shape}") from None


def causal_mask(n_queries, n_keys):
    """Which key each query may see when no query looks ahead; the last query sees every key.

    Returns a boolean array (L, S): query i sees key j where j ≤ i + (S − L).
    """
    queries = np.arange(n_queries)[:, None]  # (L, 1)
    keys = np.arange(n_keys)  # (S,)
    return keys <= queries + (n_keys - n_queries)  # (L, S)


def padding_mask(lengths, n_keys):
    """Which keys are tokens and not padding, for sequences of different lengths.

    lengths: B whole numbers, each in 0…n_keys. Returns a boolean array (B, 1, S).
    Raises ValueError, naming the length and n_keys, where a length lies outside.
    """
    lengths = np.asarray(lengths)
    for length in lengths:
        if not 0 <= length <= n_keys:
            raise ValueError(f"length {length} is outside 0…{n_keys}")
    return np.arange(n_keys) < lengths[:, None, None]  # (B, 1, S)
