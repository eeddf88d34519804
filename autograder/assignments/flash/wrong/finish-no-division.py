"""The weighted sum of the values is returned as it is. It has to be divided by the sum of the weights, so that the weights sum to
one."""


def finish(state):
    total = state.total.masked_fill(state.total == 0, 1)
    output = state.weighted.clone()
    logsumexp = state.largest + torch.log(total)
    return output, logsumexp
