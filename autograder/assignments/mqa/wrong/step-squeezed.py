"""`squeeze()` drops every axis of size 1, also that of a single sequence or a single key. Name the one axis that is to go, or
let two axes change places."""


def decode_step(q, keys, values):
    if q.shape[2] != 1 or keys.shape[1] != 1 or values.shape[1] != 1:
        raise ValueError(f"1 is wanted: {q.shape[2]} tokens, {keys.shape[1]} heads of keys, {values.shape[1]} of values")
    return attention(q.squeeze(), keys.squeeze(), values.squeeze())[:, :, None]
