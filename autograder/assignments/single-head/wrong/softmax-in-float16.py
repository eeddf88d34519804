"""The sum is added up in float16, which has eleven significant bits, so that the sum stops growing. Compute in float32
at least and return float16 at the end."""


def softmax(x, axis=-1):
    scores = np.asarray(x, dtype=result_dtype(x))
    largest = np.max(scores, axis=axis, keepdims=True, initial=-np.inf)
    exponentials = np.exp(scores - np.where(np.isneginf(largest), 0, largest).astype(scores.dtype))
    total = np.add.accumulate(exponentials, axis=axis, dtype=scores.dtype).take([-1], axis=axis)
    return exponentials / np.where(total == 0, 1, total).astype(scores.dtype)
