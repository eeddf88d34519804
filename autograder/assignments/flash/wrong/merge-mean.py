"""The outputs are averaged. A part with large scores, or with many keys, has to count for more: weigh each by exp(logsumexp)."""


def merge_attention(outputs, logsumexps):
    if outputs.shape[:-1] != logsumexps.shape:
        raise ValueError(f"{outputs.shape} and {logsumexps.shape}")
    dtype = working_dtype(outputs, logsumexps)
    outputs_wide, logsumexps = outputs.to(dtype), logsumexps.to(dtype)
    largest = logsumexps.amax(dim=0)
    shift = largest.masked_fill(largest == -math.inf, 0)
    weights = torch.exp(logsumexps - shift)
    total = weights.sum(dim=0)
    total = total.masked_fill(total == 0, 1)
    output = outputs_wide.mean(dim=0)
    return output.to(outputs.dtype), largest + torch.log(total)
