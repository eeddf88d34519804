"""The keys are changed in place, `keys /= …` or the like. They belong to the cache, and the next token finds them
spoilt. Write into a tensor of your own."""


def decode_step(q, keys, values):
    if q.shape[2] != 1 or keys.shape[1] != 1 or values.shape[1] != 1:
        raise ValueError(f"1 is wanted: {q.shape[2]} tokens, {keys.shape[1]} heads of keys, {values.shape[1]} of values")
    check_shapes(q, keys, values)
    keys /= math.sqrt(q.shape[-1])
    rows = q[:, :, 0] * math.sqrt(q.shape[-1])
    return attention(rows[:, None], keys, values).transpose(1, 2)
