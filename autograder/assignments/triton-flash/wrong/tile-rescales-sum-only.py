"""Only `total` is multiplied by the shrinking factor, and `weighted` is not. Both sums were taken relative to the old maximum, so both
have to shrink, by the same factor."""

@triton.jit
def attend_tile(largest, total, weighted, q, k, v, allowed, scale):
    scores = tl.dot(q, k, input_precision="ieee") * scale  # (BLOCK_Q, BLOCK_K), in float32
    scores = tl.where(allowed, scores, -float("inf"))
    new = tl.maximum(largest, tl.max(scores, 1))
    shift = tl.where(new == -float("inf"), 0.0, new)  # −∞ − (−∞) would be NaN
    powers = tl.exp2(scores - shift[:, None])
    shrink = tl.exp2(largest - shift)
    total = total * shrink + tl.sum(powers, 1)
    weighted = weighted + tl.dot(powers.to(v.dtype), v, input_precision="ieee")
    return new, total, weighted
