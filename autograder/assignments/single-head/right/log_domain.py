"""Normalised in the log domain, the scale put on the query, the mask as an additive one made inside."""

import numpy as np


def softmax(x, axis=-1):
    x = np.asarray(x)
    kept = x.dtype if x.dtype.kind == "f" else np.dtype(float)
    x = x.astype(np.result_type(kept, np.float32))
    with np.errstate(divide="ignore", invalid="ignore"):
        log_total = np.logaddexp.reduce(x, axis=axis, keepdims=True)
        return np.nan_to_num(np.exp(x - log_total), nan=0.0).astype(kept)


def attention(q, k, v, mask=None):
    check_shapes(q, k, v)
    wide = working_dtype(q, k, v)
    query = np.multiply(q, 1 / np.sqrt(q.shape[-1]), dtype=wide)
    scores = np.inner(query, k.astype(wide)) if q.ndim == k.ndim == 2 else query @ k.astype(wide).swapaxes(-2, -1)
    if mask is not None:
        check_mask(mask, scores.shape)
        scores = scores + np.log(mask.astype(wide))
    weights = softmax(scores)
    return (weights @ v).astype(result_dtype(q)), weights.astype(result_dtype(q))


def causal_mask(n_queries, n_keys):
    return np.tri(n_queries, n_keys, n_keys - n_queries, dtype=bool)


def padding_mask(lengths, n_keys):
    lengths = np.ravel(lengths)
    if lengths.size and (lengths.min() < 0 or lengths.max() > n_keys):
        worst = lengths[(lengths < 0) | (lengths > n_keys)][0]
        raise ValueError("a length of %d does not fit n_keys = %d" % (worst, n_keys))
    return np.less.outer(np.arange(n_keys), lengths).T.reshape(-1, 1, n_keys)
