"""The exponentials are taken of the scores as they are, with no maximum subtracted. They overflow, or all become 0, as soon as scores are
large: subtract the largest score so far."""

@triton.jit
def attend_tile(largest, total, weighted, q, k, v, allowed, scale):
    scores = tl.dot(q, k, input_precision="ieee") * scale  # (BLOCK_Q, BLOCK_K), in float32
    scores = tl.where(allowed, scores, -float("inf"))
    new = tl.maximum(largest, tl.max(scores, 1))
    shift = tl.zeros_like(new)
    powers = tl.exp2(scores - shift[:, None])
    shrink = tl.full(new.shape, 1.0, tl.float32)
    total = total * shrink + tl.sum(powers, 1)
    weighted = weighted * shrink[:, None] + tl.dot(powers.to(v.dtype), v, input_precision="ieee")
    return new, total, weighted
