"""The powers and `scale` do not belong together. e^x is 2 to the power of x · log₂e: the launch has to put the factor
log₂e into `scale`, and every power in the kernel has to be one of 2."""

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
