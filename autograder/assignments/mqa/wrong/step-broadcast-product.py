"""The keys are in memory once for each head, and that happens even where the code repeats nothing: `q @ keys.mT` with
(B, H, 1, d_head) and (B, 1, d_head, S) makes a copy of the keys for each head before it multiplies, as soon as there is more
than one sequence. Arrange the queries so that the batch is the only axis in front of the two matrices."""


def decode_step(q, keys, values):
    if q.shape[2] != 1 or keys.shape[1] != 1 or values.shape[1] != 1:
        raise ValueError(f"1 is wanted: {q.shape[2]} tokens, {keys.shape[1]} heads of keys, {values.shape[1]} of values")
    check_shapes(q, keys, values)
    return attention(q, keys, values)
