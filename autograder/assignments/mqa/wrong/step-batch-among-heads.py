"""The queries of all sequences are made the rows of one matrix, so that each sequence's keys answer the queries of the others,
too. The batch stays in front, and only head and token axis change places."""


def decode_step(q, keys, values):
    if q.shape[2] != 1 or keys.shape[1] != 1 or values.shape[1] != 1:
        raise ValueError(f"1 is wanted: {q.shape[2]} tokens, {keys.shape[1]} heads of keys, {values.shape[1]} of values")
    rows = q.reshape(1, 1, -1, q.shape[-1])
    return attention(rows, keys, values).reshape(q.shape[0], q.shape[1], 1, -1)
