"""Outputs and log-sum-exps of shapes that do not belong together are merged, or PyTorch's own error comes. Outputs have one axis
more, the values' width, and else the same shape: raise ValueError where they have not."""


def merge_attention(outputs, logsumexps):
    dtype = working_dtype(outputs, logsumexps)
    largest = logsumexps.to(dtype).amax(dim=0)
    shift = largest.masked_fill(largest == -math.inf, 0)
    parts = torch.exp(logsumexps.to(dtype) - shift)
    total = parts.sum(dim=0)
    total = total.masked_fill(total == 0, 1)
    output = (parts[..., None] * outputs.to(dtype)).sum(dim=0) / total[..., None]
    return output.to(outputs.dtype), largest + torch.log(total)
