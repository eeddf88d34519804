"""The state is divided in place. It can then take in no further block, since its weighted sum has been divided already. Make a new
tensor."""


def finish(state):
    total = state.total.masked_fill(state.total == 0, 1)
    output = state.weighted.div_(total[..., None])
    logsumexp = state.largest + torch.log(total)
    return output, logsumexp
