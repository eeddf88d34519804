"""The new block is multiplied by exp(old maximum − new maximum). It is the old sums that were taken relative to the old maximum; the
new block's exponentials are relative to the new one already."""


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
        total = shrink * total + state.total
        weighted = shrink[..., None] * weighted + state.weighted
    return State(largest, total, weighted)
