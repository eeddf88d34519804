"""The old state is changed in place. Whoever holds it, to continue it in two ways for instance, finds other numbers in it than
before. Make new tensors: `total = total + …`, not `state.total.mul_(…)`."""


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
        total = state.total.mul_(shrink).add_(total)
        weighted = state.weighted.mul_(shrink[..., None]).add_(weighted)
    return State(largest, total, weighted)
