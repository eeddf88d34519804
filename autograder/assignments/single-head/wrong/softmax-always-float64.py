"""The result is float64 whatever came in. Compute in a wider dtype where you need to, and turn the result back into
the input's dtype at the end; only integers give float64."""

right_softmax = softmax


def softmax(x, axis=-1):
    return right_softmax(np.asarray(x, dtype=np.float64), axis)
