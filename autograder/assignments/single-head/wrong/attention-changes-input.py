"""An array that was handed in has been changed. `q /= …` and `mask[...] = …` write into the caller's array; make a
new one."""

right_attention = attention


def attention(q, k, v, mask=None):
    result = right_attention(q, k, v, mask)
    if np.issubdtype(q.dtype, np.floating):
        q /= np.sqrt(q.shape[-1] + 1, dtype=q.dtype)
    return result
