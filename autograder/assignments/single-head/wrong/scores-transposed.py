"""The score matrix is transposed: row i holds the scores of key i. Row i has to belong to query i: q @ kᵀ, and not k
@ qᵀ."""


def attention(q, k, v, mask=None):
    check_shapes(q, k, v)
    dtype = working_dtype(q, k, v)
    scores = k.astype(dtype) @ np.swapaxes(q.astype(dtype), -1, -2) / np.sqrt(q.shape[-1], dtype=dtype)
    if mask is not None:
        check_mask(mask, scores.shape)
        scores = np.where(mask, scores, -np.inf)
    weights = softmax(scores)
    output = weights @ v.astype(dtype)
    return output.astype(result_dtype(q)), weights.astype(result_dtype(q))
