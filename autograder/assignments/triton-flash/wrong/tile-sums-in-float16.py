"""The running sums are rounded to the inputs' dtype after every tile. A float16 sum loses its last digits with every key and ends at
65,504: keep `total` and `weighted` in float32 until the output is stored."""

@triton.jit
def attend_tile(largest, total, weighted, q, k, v, allowed, scale):
    scores = tl.dot(q, k, input_precision="ieee") * scale  # (BLOCK_Q, BLOCK_K), in float32
    scores = tl.where(allowed, scores, -float("inf"))
    new = tl.maximum(largest, tl.max(scores, 1))
    shift = tl.where(new == -float("inf"), 0.0, new)  # −∞ − (−∞) would be NaN
    powers = tl.exp2(scores - shift[:, None])
    shrink = tl.exp2(largest - shift)
    total = total * shrink + tl.sum(powers, 1)
    weighted = weighted * shrink[:, None] + tl.dot(powers.to(v.dtype), v, input_precision="ieee")
    return new, total.to(v.dtype).to(tl.float32), weighted.to(v.dtype).to(tl.float32)
