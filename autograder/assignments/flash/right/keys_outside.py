"""Keys in the outer loop, queries in the inner one, forward and backward; base two in the exponentials; leading dimensions flattened
into one; an autograd function that is defined inside."""

import math

import torch

LOG2E = math.log2(math.e)


def online_softmax(state, scores, values):
    dtype = torch.result_type(scores.new_zeros((), dtype=torch.promote_types(scores.dtype, torch.float32)).reshape(1), values)
    scores = scores.to(dtype) * LOG2E
    floor = torch.finfo(dtype).min
    old = [scores.new_full(scores.shape[:-1], floor), 0.0, 0.0] if state is None else list(state)
    new = torch.maximum(old[0], scores.max(dim=-1).values)
    powers = torch.exp2(scores - new.unsqueeze(-1))
    factor = torch.exp2(old[0] - new)
    weighted = torch.einsum("...lb,...bd->...ld", powers, values.to(dtype))
    return (new, old[1] * factor + powers.sum(-1), old[2] * factor.unsqueeze(-1) + weighted)


def finish(state):
    largest, total, weighted = state
    safe = torch.where(total > 0, total, torch.ones_like(total))
    logsumexp = torch.where(total > 0, largest / LOG2E + safe.log(), torch.full_like(largest, float("-inf")))
    return weighted / safe.unsqueeze(-1), logsumexp


def flat(x, leading):
    """(..., N, D) → (leading as one, N, D)"""
    return x.expand(*leading, *x.shape[-2:]).reshape(-1, *x.shape[-2:])


def spans(n, size):
    return [(a, min(n, a + size)) for a in range(0, n, size)]


def hidden(a, b, c, d, offset):
    """True where query i of a…b may not see key j of c…d."""
    return torch.ones(b - a, d - c, dtype=torch.bool).triu(1 + offset + a - c)


def checked(q, k, v, block_q, block_k):
    if min(block_q, block_k) <= 0:
        raise ValueError(f"tile {block_q} x {block_k}")
    if q.size(-1) != k.size(-1) or k.size(-2) != v.size(-2):
        raise ValueError(f"q {list(q.shape)}, k {list(k.shape)}, v {list(v.shape)}")
    try:
        return torch.broadcast_shapes(q.shape[:-2], k.shape[:-2], v.shape[:-2])
    except RuntimeError as error:
        raise ValueError(f"q {list(q.shape)}, k {list(k.shape)}, v {list(v.shape)}") from error


def flash_attention(q, k, v, is_causal=False, block_q=64, block_k=64):
    leading = checked(q, k, v, block_q, block_k)

    class Function(torch.autograd.Function):
        @staticmethod
        def forward(ctx, q, k, v):
            given = q.dtype if q.dtype.is_floating_point else torch.float64
            dtype = torch.promote_types(torch.promote_types(given, v.dtype), torch.promote_types(k.dtype, torch.float32))
            queries, keys, values = (flat(x, leading) for x in (q, k, v))
            n_queries, n_keys = q.size(-2), k.size(-2)
            states = [None] * len(spans(n_queries, block_q))
            for c, d in spans(n_keys, block_k):
                for place, (a, b) in enumerate(spans(n_queries, block_q)):
                    scores = torch.bmm(queries[:, a:b].to(dtype), keys[:, c:d].to(dtype).transpose(1, 2)) * q.size(-1) ** -0.5
                    if is_causal:
                        scores.masked_fill_(hidden(a, b, c, d, n_keys - n_queries), float("-inf"))
                    states[place] = online_softmax(states[place], scores, values[:, c:d].to(dtype))
            parts = [finish(state) for state in states]
            output = torch.cat([part[0] for part in parts], 1).reshape(*leading, n_queries, v.size(-1)).to(given)
            logsumexp = torch.cat([part[1] for part in parts], 1).reshape(*leading, n_queries)
            ctx.save_for_backward(q, k, v, output, logsumexp)
            return output, logsumexp

        @staticmethod
        def backward(ctx, d_output, d_logsumexp):
            return gradients(*ctx.saved_tensors, d_output, is_causal, block_q, block_k, d_logsumexp)

    return Function.apply(q, k, v)


def gradients(q, k, v, output, logsumexp, d_output, is_causal, block_q, block_k, d_logsumexp):
    leading = checked(q, k, v, block_q, block_k)
    if d_output.shape[-2:] != (q.size(-2), v.size(-1)):
        raise ValueError(f"d_output {list(d_output.shape)}")
    dtype = torch.promote_types(torch.promote_types(q.dtype, v.dtype), torch.promote_types(k.dtype, torch.float32))
    queries, keys, values, results, ups = (flat(x, leading) for x in (q, k, v, output, d_output))
    n_queries, n_keys, scale = q.size(-2), k.size(-2), q.size(-1) ** -0.5
    logs = logsumexp.reshape(-1, n_queries, 1)
    logs = torch.where(logs == float("-inf"), float("inf"), logs).to(dtype)
    inner = torch.einsum("bld,bld->bl", ups.to(dtype), results.to(dtype))[..., None]
    if d_logsumexp is not None:
        inner = inner - d_logsumexp.reshape(-1, n_queries, 1).to(dtype)
    dq, dk, dv = (torch.zeros(x.shape, dtype=dtype) for x in (queries, keys, values))
    for c, d in spans(n_keys, block_k):
        for a, b in spans(n_queries, block_q):
            scores = torch.bmm(queries[:, a:b].to(dtype), keys[:, c:d].to(dtype).transpose(1, 2)) * scale
            if is_causal:
                scores.masked_fill_(hidden(a, b, c, d, n_keys - n_queries), float("-inf"))
            weights = torch.exp(scores - logs[:, a:b])
            dv[:, c:d] += torch.bmm(weights.transpose(1, 2), ups[:, a:b].to(dtype))
            weights *= torch.bmm(ups[:, a:b].to(dtype), values[:, c:d].to(dtype).transpose(1, 2)) - inner[:, a:b]
            dq[:, a:b] += scale * torch.bmm(weights, keys[:, c:d].to(dtype))
            dk[:, c:d] += scale * torch.bmm(weights.transpose(1, 2), queries[:, a:b].to(dtype))
    return tuple(g.reshape(*leading, *x.shape[-2:]).sum_to_size(x.shape).to(x.dtype) for g, x in ((dq, q), (dk, k), (dv, v)))


def flash_attention_backward(q, k, v, output, logsumexp, d_output, is_causal=False, block_q=64, block_k=64):
    return gradients(q, k, v, output, logsumexp, d_output, is_causal, block_q, block_k, None)
