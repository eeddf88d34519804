"""The state is what finish returns, (output, log-sum-exp), merged pair by pair with logaddexp; merging is a softmax over the parts."""

import torch


def online_softmax(state, scores, values):
    wide = torch.promote_types(torch.promote_types(scores.dtype, values.dtype), torch.float32)
    scores, values = scores.to(wide), values.to(wide)
    logsumexp = scores.logsumexp(-1, keepdim=True)  # (..., L, 1)
    output = torch.nan_to_num(torch.exp(scores - logsumexp), nan=0.0) @ values
    if state is None:
        return output, logsumexp
    both = torch.logaddexp(state[1], logsumexp)
    parts = [torch.nan_to_num(torch.exp(one - both), nan=0.0) for one in (state[1], logsumexp)]
    return parts[0] * state[0] + parts[1] * output, both


def finish(state):
    return state[0], state[1].squeeze(-1)


def merge_attention(outputs, logsumexps):
    if outputs.ndim != logsumexps.ndim + 1 or outputs.shape[:-1] != logsumexps.shape:
        raise ValueError(f"{list(outputs.shape)} against {list(logsumexps.shape)}")
    wide = torch.promote_types(torch.promote_types(outputs.dtype, logsumexps.dtype), torch.float32)
    parts = torch.nan_to_num(torch.softmax(logsumexps.to(wide), dim=0), nan=0.0)
    return torch.einsum("n...,n...d->...d", parts, outputs.to(wide)).to(outputs.dtype), torch.logsumexp(logsumexps.to(wide), 0)
