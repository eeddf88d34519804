"""The sums are kept in the dtype of the blocks. In float16 and bfloat16 a sum soon gets stuck, because the next number
that the dtype can hold is further away than what is added. Compute in working_dtype(scores, values), which is float32
at the least."""


def online_softmax(state, scores, values):
    largest = scores.amax(dim=-1)
    if state is not None:
        largest = torch.maximum(state.largest, largest)
    shift = largest.masked_fill(largest == -math.inf, 0)
    powers = torch.exp(scores - shift[..., None])
    total = powers.sum(dim=-1)
    weighted = powers @ values
    if state is not None:
        shrink = torch.exp(state.largest - shift)
        total = total + shrink * state.total
        weighted = weighted + shrink[..., None] * state.weighted
    return State(largest, total, weighted)
