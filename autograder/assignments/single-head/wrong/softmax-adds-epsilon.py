"""A small number is added to the sum, as if it could be 0. Once the largest number has been subtracted one of the terms is 1, and the sum
1 at least: the addition only makes every weight a little too small. Where a row is −∞ throughout, put 1 in place of the sum."""


def softmax(x, axis=-1):
    scores = np.asarray(x, dtype=working_dtype(x))
    largest = np.max(scores, axis=axis, keepdims=True, initial=-np.inf)
    exponentials = np.exp(scores - np.where(np.isneginf(largest), 0, largest))
    return (exponentials / (exponentials.sum(axis=axis, keepdims=True) + 1e-9)).astype(result_dtype(x))
