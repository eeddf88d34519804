"""The exponentials are taken of the scores as they are, and exp(1000) is infinite: infinity divided by infinity is
not a number. Subtract the largest score of each row first; the result stays the same, since the factor cancels."""


def softmax(x, axis=-1):
    scores = np.asarray(x, dtype=working_dtype(x))
    empty = np.isneginf(scores).all(axis=axis, keepdims=True)
    exponentials = np.exp(scores)
    return (exponentials / np.where(empty, 1, exponentials.sum(axis=axis, keepdims=True))).astype(result_dtype(x))
