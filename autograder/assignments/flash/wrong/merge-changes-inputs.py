"""The log-sum-exps that were handed in are changed in place. The caller may need them again: make a new tensor."""


def merge_attention(outputs, logsumexps):
    if outputs.shape[:-1] != logsumexps.shape:
        raise ValueError(f"outputs of shape {tuple(outputs.shape)} and logsumexps of shape {tuple(logsumexps.shape)}")
    dtype = working_dtype(outputs, logsumexps)
    largest = logsumexps.to(dtype).amax(dim=0)
    shift = largest.masked_fill(largest == -math.inf, 0)
    parts = torch.exp(logsumexps.to(dtype).sub_(shift))
    total = parts.sum(dim=0)
    total = total.masked_fill(total == 0, 1)
    output = (parts[..., None] * outputs.to(dtype)).sum(dim=0) / total[..., None]
    return output.to(outputs.dtype), largest + torch.log(total)
