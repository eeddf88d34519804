"""The exponentials are divided by the sum of the whole array, so that all rows together sum to one. Each row along
the axis has to sum to one by itself: give the sum axis=axis and keepdims=True."""


def softmax(x, axis=-1):
    scores = np.asarray(x, dtype=working_dtype(x))
    largest = np.max(scores, initial=-1e30)
    exponentials = np.exp(scores - largest)
    return (exponentials / max(exponentials.sum(), 1e-300)).astype(result_dtype(x))
