"""Half precision is multiplied and added up in half precision: a score in float16 is infinite beyond 65,504, and a sum
in bfloat16 loses its small terms. Compute in float32 or wider."""


def decode_step(q, keys, values):
    if q.shape[2] != 1 or keys.shape[1] != 1 or values.shape[1] != 1:
        raise ValueError(f"1 is wanted: {q.shape[2]} tokens, {keys.shape[1]} heads of keys, {values.shape[1]} of values")
    check_shapes(q, keys, values)
    scores = torch.einsum("bhd,bsd->bhs", q[:, :, 0], keys[:, 0]) / math.sqrt(q.shape[-1])
    powers = (scores - scores.amax(dim=-1, keepdim=True)).exp()
    total = powers.cumsum(dim=-1)[..., -1:]
    return torch.einsum("bhs,bsd->bhd", powers / total, values[:, 0])[:, :, None]
