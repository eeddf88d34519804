"""A mask of numbers is accepted without a word. Whether 1 means “may attend” or “is forbidden” nobody can tell, and
−∞ added as a number is a third custom: raise TypeError unless mask.dtype is bool."""


def attention(q, k, v, mask=None):
    check_shapes(q, k, v)
    dtype = working_dtype(q, k, v)
    scores = q.astype(dtype) @ np.swapaxes(k.astype(dtype), -1, -2) / np.sqrt(q.shape[-1], dtype=dtype)
    if mask is not None:
        scores = np.where(np.asarray(mask).astype(bool), scores, -np.inf)
    weights = softmax(scores)
    output = weights @ v.astype(dtype)
    return output.astype(result_dtype(q)), weights.astype(result_dtype(q))
