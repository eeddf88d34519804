"""The state is an object of the student's own class."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class Running:
    largest: torch.Tensor
    total: torch.Tensor
    weighted: torch.Tensor


def online_softmax(state, scores, values):
    dtype = working_dtype(scores, values)
    scores, values = scores.to(dtype), values.to(dtype)
    largest = scores.amax(dim=-1) if state is None else torch.maximum(state.largest, scores.amax(dim=-1))
    shift = torch.where(largest == -math.inf, 0, largest)
    powers = torch.exp(scores - shift.unsqueeze(-1))
    total, weighted = powers.sum(dim=-1), powers @ values
    if state is not None:
        shrink = torch.exp(state.largest - shift)
        total, weighted = total + shrink * state.total, weighted + shrink.unsqueeze(-1) * state.weighted
    return Running(largest, total, weighted)


def finish(state):
    total = torch.where(state.total == 0, 1, state.total)
    return state.weighted / total.unsqueeze(-1), state.largest + total.log()
