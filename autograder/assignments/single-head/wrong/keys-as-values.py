"""The weights mix the keys. Keys only decide how much; what is handed over are the values: weights @ v."""


def attention(q, k, v, mask=None):
    check_shapes(q, k, v)
    dtype = working_dtype(q, k, v)
    scores = q.astype(dtype) @ np.swapaxes(k.astype(dtype), -1, -2) / np.sqrt(q.shape[-1], dtype=dtype)
    if mask is not None:
        check_mask(mask, scores.shape)
        scores = np.where(mask, scores, -np.inf)
    weights = softmax(scores)
    output = weights @ k.astype(dtype)
    return output.astype(result_dtype(q)), weights.astype(result_dtype(q))
