"""The logarithm of the sum lacks the largest score. All exponentials were taken relative to it, so it has to be added: log Σ exp(s)
is m + log Σ exp(s − m)."""


def finish(state):
    total = state.total.masked_fill(state.total == 0, 1)
    output = state.weighted / total[..., None]
    logsumexp = torch.log(total).masked_fill(state.total == 0, -math.inf)
    return output, logsumexp
