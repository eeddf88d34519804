"""What was summed before is not rescaled when a larger score comes. The old terms were taken relative to the old maximum, so they
count too much beside the new ones: multiply both old sums by exp(old maximum − new maximum) before you add."""


def online_softmax(state, scores, values):
    dtype = working_dtype(scores, values)
    scores, values = scores.to(dtype), values.to(dtype)
    largest = scores.amax(dim=-1)
    if state is not None:
        largest = torch.maximum(state.largest, largest)
    shift = largest.masked_fill(largest == -math.inf, 0)
    powers = torch.exp(scores - shift[..., None])
    total = powers.sum(dim=-1)
    weighted = powers @ values
    if state is not None:
        total = total + state.total
        weighted = weighted + state.weighted
    return State(largest, total, weighted)
