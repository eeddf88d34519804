"""Sizes that do not fit fail with an error of PyTorch's from the middle of your function. Raise ValueError at the beginning and
name the two numbers that disagree: `check_shapes` does it, and `attention` calls it."""


def decode_step(q, keys, values):
    if q.shape[2] != 1 or keys.shape[1] != 1 or values.shape[1] != 1:
        raise ValueError(f"1 is wanted: {q.shape[2]} tokens, {keys.shape[1]} heads of keys, {values.shape[1]} of values")
    wide = working_dtype(q, keys, values)
    rows, k, v = q[:, :, 0].to(wide), keys[:, 0].to(wide), values[:, 0].to(wide)
    weights = (rows @ k.mT / math.sqrt(q.shape[-1])).softmax(dim=-1)
    return (weights @ v)[:, :, None].to(result_dtype(q))
