"""Every block is kept, if not in the state then in a place that the state points to, and `finish` goes through all of them again.
What has been taken in has to fit into the largest score, the sum of the weights and the weighted sum of the values: update these
three, and let the block go."""


class Blocks:
    def __init__(self, blocks):
        self.blocks = blocks


def online_softmax(state, scores, values):
    dtype = working_dtype(scores, values)
    return (Blocks([*(state[0].blocks if state is not None else []), (scores.to(dtype), values.to(dtype))]),)


def finish(state):
    scores, values = (torch.cat(x, dim) for x, dim in zip(zip(*state[0].blocks), (-1, -2)))
    largest = scores.amax(dim=-1)
    shift = largest.masked_fill(largest == -math.inf, 0)
    powers = torch.exp(scores - shift[..., None])
    total = powers.sum(dim=-1)
    total = total.masked_fill(total == 0, 1)
    return powers @ values / total[..., None], largest + torch.log(total)
