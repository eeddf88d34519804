"""The weighted sum of a block is divided by the block's sum of exponentials already. The two sums are kept apart until all keys
have gone by, and finish divides, once."""


def online_softmax(state, scores, values):
    dtype = working_dtype(scores, values)
    scores, values = scores.to(dtype), values.to(dtype)
    largest = scores.amax(dim=-1)
    if state is not None:
        largest = torch.maximum(state.largest, largest)
    shift = largest.masked_fill(largest == -math.inf, 0)
    powers = torch.exp(scores - shift[..., None])
    total = powers.sum(dim=-1)
    weighted = powers @ values / total.masked_fill(total == 0, 1)[..., None]
    if state is not None:
        shrink = torch.exp(state.largest - shift)
        total = total + shrink * state.total
        weighted = weighted + shrink[..., None] * state.weighted
    return State(largest, total, weighted)
