"""The old sums are not multiplied by the shrinking factor when a tile brings a larger score. They were taken relative to the old maximum,
the new terms are relative to the new one: multiply `total` and `weighted` by 2^(old maximum − new maximum) before you add."""

@triton.jit
def attend_tile(largest, total, weighted, q, k, v, allowed, scale):
    scores = tl.dot(q, k, input_precision="ieee") * scale  # (BLOCK_Q, BLOCK_K), in float32
    scores = tl.where(allowed, scores, -float("inf"))
    new = tl.maximum(largest, tl.max(scores, 1))
    shift = tl.where(new == -float("inf"), 0.0, new)  # −∞ − (−∞) would be NaN
    powers = tl.exp2(scores - shift[:, None])
    shrink = tl.exp2(largest - shift)
    total = total + tl.sum(powers, 1)
    weighted = weighted + tl.dot(powers.to(v.dtype), v, input_precision="ieee")
    return new, total, weighted
