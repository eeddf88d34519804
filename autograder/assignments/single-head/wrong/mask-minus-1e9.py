"""Forbidden scores get a large negative number in place of −∞. As long as a row has one allowed key you do not see
it; where a query may see nothing, all keys come out alike. Use −∞, and let such a row give zeros."""


def attention(q, k, v, mask=None):
    check_shapes(q, k, v)
    dtype = working_dtype(q, k, v)
    scores = q.astype(dtype) @ np.swapaxes(k.astype(dtype), -1, -2) / np.sqrt(q.shape[-1], dtype=dtype)
    if mask is not None:
        check_mask(mask, scores.shape)
        scores = np.where(mask, scores, dtype.type(-1e9))
    weights = softmax(scores)
    output = weights @ v.astype(dtype)
    return output.astype(result_dtype(q)), weights.astype(result_dtype(q))
