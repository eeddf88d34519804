"""A tensor as large as the keys times the number of heads is made, of copies of the keys, or of products as in `q * keys`.
For each token written that moves H times the memory, and all that the small cache had saved is lost again. One key/value
head can answer all query heads as it is: think of the heads as the rows of one matrix of queries."""


def decode_step(q, keys, values):
    if q.shape[2] != 1 or keys.shape[1] != 1 or values.shape[1] != 1:
        raise ValueError(f"1 is wanted: {q.shape[2]} tokens, {keys.shape[1]} heads of keys, {values.shape[1]} of values")
    check_shapes(q, keys, values)
    keys, values = (x.repeat_interleave(q.shape[1], dim=1) for x in (keys, values))
    return attention(q, keys, values)
