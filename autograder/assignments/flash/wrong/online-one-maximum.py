"""One maximum is taken for all queries together. Where one query's scores lie far below another's, all its exponentials become zero,
and so does its output. Each query has a maximum of its own: take it along the last axis alone."""


def online_softmax(state, scores, values):
    dtype = working_dtype(scores, values)
    scores, values = scores.to(dtype), values.to(dtype)
    largest = scores.amax().expand(scores.shape[:-1])
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
