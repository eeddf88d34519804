"""The heads are still the rows of the result, (B, 1, H, d_value). Let the two axes change places again: (B, H, 1, d_value), as
the rest of the model expects it."""


def decode_step(q, keys, values):
    if q.shape[2] != 1 or keys.shape[1] != 1 or values.shape[1] != 1:
        raise ValueError(f"1 is wanted: {q.shape[2]} tokens, {keys.shape[1]} heads of keys, {values.shape[1]} of values")
    return attention(q.transpose(1, 2), keys, values)
