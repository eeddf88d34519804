"""The parts are merged in the dtype of the outputs. A log-sum-exp of 200 is rounded to the nearest eighth in float16,
which is wrong by several per cent after the exponential. Compute in working_dtype(outputs, logsumexps)."""


def merge_attention(outputs, logsumexps):
    if outputs.shape[:-1] != logsumexps.shape:
        raise ValueError(f"{outputs.shape} and {logsumexps.shape}")
    dtype = outputs.dtype
    outputs_wide, logsumexps = outputs.to(dtype), logsumexps.to(dtype)
    largest = logsumexps.amax(dim=0)
    shift = largest.masked_fill(largest == -math.inf, 0)
    weights = torch.exp(logsumexps - shift)
    total = weights.sum(dim=0)
    total = total.masked_fill(total == 0, 1)
    output = (weights[..., None] * outputs_wide).sum(dim=0) / total[..., None]
    return output.to(outputs.dtype), (largest + torch.log(total)).float()
