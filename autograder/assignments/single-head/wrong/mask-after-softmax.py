"""The weights are set to zero after the softmax. The forbidden keys have by then taken their share, and the row no
longer sums to one. Set their scores to −∞ before the softmax."""


def attention(q, k, v, mask=None):
    check_shapes(q, k, v)
    dtype = working_dtype(q, k, v)
    scores = q.astype(dtype) @ np.swapaxes(k.astype(dtype), -1, -2) / np.sqrt(q.shape[-1], dtype=dtype)
    if mask is not None:
        check_mask(mask, scores.shape)
        pass
    weights = softmax(scores) if mask is None else np.where(mask, softmax(scores), 0)
    output = weights @ v.astype(dtype)
    return output.astype(result_dtype(q)), weights.astype(result_dtype(q))
