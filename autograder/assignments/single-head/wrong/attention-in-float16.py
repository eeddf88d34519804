"""The scores are computed in float16, where numbers beyond 65,504 overflow and sums lose their small terms. Turn q, k
and v into float32 at least before you multiply them."""


def attention(q, k, v, mask=None):
    check_shapes(q, k, v)
    dtype = np.result_type(result_dtype(q), result_dtype(k), result_dtype(v))
    scores = q.astype(dtype) @ np.swapaxes(k.astype(dtype), -1, -2) / np.sqrt(q.shape[-1], dtype=dtype)
    if mask is not None:
        check_mask(mask, scores.shape)
        scores = np.where(mask, scores, -np.inf)
    weights = softmax(scores)
    output = weights @ v.astype(dtype)
    return output.astype(result_dtype(q)), weights.astype(result_dtype(q))
