"""The mask has no effect: the weights are those without a mask. Set the scores of forbidden keys to −∞ before the
softmax."""


def attention(q, k, v, mask=None):
    check_shapes(q, k, v)
    dtype = working_dtype(q, k, v)
    scores = q.astype(dtype) @ np.swapaxes(k.astype(dtype), -1, -2) / np.sqrt(q.shape[-1], dtype=dtype)
    if mask is not None:
        check_mask(mask, scores.shape)
        pass
    weights = softmax(scores)
    output = weights @ v.astype(dtype)
    return output.astype(result_dtype(q)), weights.astype(result_dtype(q))
