"""The weighted sum of the values is rescaled when a larger score comes, and the sum of the weights is not. The denominator shrinks
by the same factor as the numerator."""


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
        total = total + state.total
        weighted = weighted + shrink[..., None] * state.weighted
    return State(largest, total, weighted)
