"""The array that was handed in has been changed. `x -= …` writes into the caller's array; `x = x - …` makes a new
one."""

right_softmax = softmax


def softmax(x, axis=-1):
    result = right_softmax(x, axis)
    if isinstance(x, np.ndarray) and np.issubdtype(x.dtype, np.floating):
        x -= x.max(axis=axis, keepdims=True)
    return result
