"""The products of queries and keys are not multiplied by `scale`. Without it the scores grow with the width of the head, and the softmax
becomes too sharp: multiply what the first `tl.dot` gives."""

@triton.jit
def attend_tile(largest, total, weighted, q, k, v, allowed, scale):
    scores = tl.dot(q, k, input_precision="ieee")  # (BLOCK_Q, BLOCK_K), in float32
    scores = tl.where(allowed, scores, -float("inf"))
    new = tl.maximum(largest, tl.max(scores, 1))
    shift = tl.where(new == -float("inf"), 0.0, new)  # −∞ − (−∞) would be NaN
    powers = tl.exp2(scores - shift[:, None])
    shrink = tl.exp2(largest - shift)
    total = total * shrink + tl.sum(powers, 1)
    weighted = weighted * shrink[:, None] + tl.dot(powers.to(v.dtype), v, input_precision="ieee")
    return new, total, weighted
