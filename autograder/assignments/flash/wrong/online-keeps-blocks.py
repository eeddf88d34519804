"""The state keeps the blocks themselves and grows with every one, so nothing is gained over a softmax of all scores at once. Keep
the largest score, the sum of the weights and the weighted sum of the values, and let the block go."""


def online_softmax(state, scores, values):
    dtype = working_dtype(scores, values)
    scores, values = scores.to(dtype), values.to(dtype)
    if state is not None:
        scores = torch.cat([state[0], scores], dim=-1)
        values = torch.cat([state[1], values], dim=-2)
    return scores, values


def finish(state):
    scores, values = state
    largest = scores.amax(dim=-1)
    shift = largest.masked_fill(largest == -math.inf, 0)
    powers = torch.exp(scores - shift[..., None])
    total = powers.sum(dim=-1)
    total = total.masked_fill(total == 0, 1)
    return powers @ values / total[..., None], largest + torch.log(total)
