"""The scores are exponents of 2, though `scale` was not made for it, or it was and the powers are those of e. 2^x is e^x when x is
multiplied by log₂e first: the launch puts that factor into `scale`, and then every power in the kernel has to be one of 2."""

@triton.jit
def attend_tile(largest, total, weighted, q, k, v, allowed, scale):
    scores = tl.dot(q, k, input_precision="ieee") * scale  # (BLOCK_Q, BLOCK_K), in float32
    scores = tl.where(allowed, scores, -float("inf"))
    new = tl.maximum(largest, tl.max(scores, 1))
    shift = tl.where(new == -float("inf"), 0.0, new)  # −∞ − (−∞) would be NaN
    powers = tl.exp(scores - shift[:, None])
    shrink = tl.exp(largest - shift)
    total = total * shrink + tl.sum(powers, 1)
    weighted = weighted * shrink[:, None] + tl.dot(powers.to(v.dtype), v, input_precision="ieee")
    return new, total, weighted
