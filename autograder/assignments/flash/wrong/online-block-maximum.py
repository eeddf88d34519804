"""The exponentials of a block are taken relative to the largest score of that block alone, and only afterwards the larger of it
and the state's is kept. Both sums have to be relative to one maximum: take the common one before the exponentials."""


def online_softmax(state, scores, values):
    dtype = working_dtype(scores, values)
    scores, values = scores.to(dtype), values.to(dtype)
    largest = scores.amax(dim=-1)
    shift = largest.masked_fill(largest == -math.inf, 0)
    powers = torch.exp(scores - shift[..., None])
    total = powers.sum(dim=-1)
    weighted = powers @ values
    if state is not None:
        largest = torch.maximum(state.largest, largest)
        shrink = torch.exp(state.largest - largest.masked_fill(largest == -math.inf, 0))
        total = total + shrink * state.total
        weighted = weighted + shrink[..., None] * state.weighted
    return State(largest, total, weighted)
