"""A query that has seen no key gets 0 for its log-sum-exp. That is the log-sum-exp of one key with score 0, and such a part would
count when parts are merged. The sum of no exponentials is 0, and its logarithm −∞."""


def finish(state):
    total = state.total.masked_fill(state.total == 0, 1)
    output = state.weighted / total[..., None]
    logsumexp = state.largest.masked_fill(state.total == 0, 0) + torch.log(total)
    return output, logsumexp
