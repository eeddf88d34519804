"""No maximum is subtracted before the exponential. exp(1000) is infinite, and infinity divided by infinity is not a number. Subtract
the largest score so far: the quotient stays the same."""


def online_softmax(state, scores, values):
    dtype = working_dtype(scores, values)
    powers = torch.exp(scores.to(dtype)) 
    total = powers.sum(dim=-1)
    weighted = powers @ values.to(dtype)
    if state is not None:
        total = total + state.total
        weighted = weighted + state.weighted
    return State(torch.zeros_like(total), total, weighted)
