"""No checks of its own where NumPy's say enough, a different order of operations, a helper written as a class."""

import numpy as np


class Normaliser:
    def __init__(self, axis):
        self.axis = axis

    def __call__(self, e):
        s = e.sum(self.axis, keepdims=True)
        return e / (s + (s == 0))


def softmax(x, axis=-1):
    x = np.array(x)
    back = x.dtype.type if x.dtype.kind == "f" else np.float64
    x = x.astype(np.longdouble if back is np.float64 else np.float64)
    x = x - np.nan_to_num(x.max(axis, keepdims=True), neginf=0)
    return Normaliser(axis)(np.exp(x)).astype(back)


def attention(q, k, v, mask=None):
    back = q.dtype if q.dtype.kind == "f" else np.float64
    if q.shape[-1] != k.shape[-1]:
        raise ValueError("d_head %d and %d" % (q.shape[-1], k.shape[-1]))
    q, k, v = q.astype(float), k.astype(float), v.astype(float)
    s = np.matmul(k, q.swapaxes(-1, -2)).swapaxes(-1, -2) / q.shape[-1] ** 0.5
    if mask is not None:
        if mask.dtype.name != "bool":
            raise TypeError("bool, please")
        s = np.where(mask, s, np.full_like(s, -np.inf))
    w = softmax(s)
    return np.matmul(w, v).astype(back), w.astype(back)
