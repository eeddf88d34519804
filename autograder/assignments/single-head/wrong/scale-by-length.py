"""The scores are divided by the square root of the number of keys. The scale belongs to the width of a query, d_head,
and not to the length of the sequence."""


def attention(q, k, v, mask=None):
    check_shapes(q, k, v)
    dtype = working_dtype(q, k, v)
    scores = q.astype(dtype) @ np.swapaxes(k.astype(dtype), -1, -2) / np.sqrt(k.shape[-2], dtype=dtype)
    if mask is not None:
        check_mask(mask, scores.shape)
        scores = np.where(mask, scores, -np.inf)
    weights = softmax(scores)
    output = weights @ v.astype(dtype)
    return output.astype(result_dtype(q)), weights.astype(result_dtype(q))
