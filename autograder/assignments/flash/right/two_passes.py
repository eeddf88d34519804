"""Everything in float64; no running softmax in flash_attention but two passes, the first for the log-sum-exp; a backward pass
that does not look at the output; results in float64 from finish; loops over heads."""

import math

import torch


def online_softmax(state, scores, values):
    scores, values = scores.double(), values.double()
    top = scores.amax(-1, keepdim=True)
    if state is not None:
        top = torch.maximum(top, state[0])
    near = torch.clamp(top, min=-1e300)
    old = (torch.full_like(top, -math.inf), torch.zeros_like(top), torch.zeros(1).double()) if state is None else state
    factor = (old[0] - near).exp()
    return top, old[1] * factor + (scores - near).exp().sum(-1, keepdim=True), old[2] * factor + (scores - near).exp() @ values


def finish(state):
    top, total, weighted = state
    return torch.where(total > 0, weighted / total.clamp(min=1e-300), 0.0), (top + total.clamp(min=1e-300).log()).squeeze(-1)


def pieces(x, size):
    return list(torch.split(x, size, dim=-2)) if x.shape[-2] else []


def one_head(q, k, v, is_causal, block_q, block_k):
    """q (L, Dh), k (S, Dh), v (S, Dv) in float64; gives (L, Dv) and (L,)."""
    outputs, logs = [], []
    for row, queries in enumerate(pieces(q, block_q)):
        log = torch.full((len(queries),), -math.inf, dtype=torch.float64)
        for column, keys in enumerate(pieces(k, block_k)):
            log = torch.logaddexp(log, masked(queries, keys, row * block_q, column * block_k, len(k) - len(q), is_causal).logsumexp(-1))
        total = torch.zeros(len(queries), v.shape[-1], dtype=torch.float64)
        for column, (keys, values) in enumerate(zip(pieces(k, block_k), pieces(v, block_k))):
            scores = masked(queries, keys, row * block_q, column * block_k, len(k) - len(q), is_causal)
            total += torch.exp(scores - log.masked_fill(log == -math.inf, math.inf)[:, None]) @ values
        outputs.append(total)
        logs.append(log)
    return torch.cat(outputs), torch.cat(logs)


def masked(queries, keys, first_query, first_key, offset, is_causal):
    scores = queries @ keys.T * queries.shape[-1] ** -0.5
    if is_causal:
        for i in range(len(queries)):
            scores[i, max(0, first_query + i + offset - first_key + 1) :] = -math.inf
    return scores


def one_head_backward(q, k, v, log, up, up_log, is_causal, block_q, block_k):
    dq, dk, dv = torch.zeros_like(q), torch.zeros_like(k), torch.zeros_like(v)
    log = log.masked_fill(log == -math.inf, math.inf)[:, None]
    inner = -up_log[:, None].clone()
    for last in (False, True):
        for a in range(0, len(q), block_q):
            for c in range(0, len(k), block_k):
                rows, columns = slice(a, a + block_q), slice(c, c + block_k)
                weights = torch.exp(masked(q[rows], k[columns], a, c, len(k) - len(q), is_causal) - log[rows])
                back = up[rows] @ v[columns].T
                if not last:
                    inner[rows] += (weights * back).sum(-1, keepdim=True)
                    continue
                signal = weights * (back - inner[rows]) / q.shape[-1] ** 0.5
                dq[rows] += signal @ k[columns]
                dk[columns] += signal.T @ q[rows]
                dv[columns] += weights.T @ up[rows]
    return dq, dk, dv


def heads(leading, *tensors):
    """One tuple of float64 tensors for each place of the leading dimensions; tensors: (tensor, how many axes belong to a head)."""
    flat = []
    for x, n_axes in tensors:
        size = x.shape[x.ndim - n_axes :]
        flat.append(x.double().expand(*leading, *size).reshape(-1, *size))
    return zip(*flat)


class Attention(torch.autograd.Function):
    @staticmethod
    def forward(ctx, q, k, v, *settings):
        leading = torch.broadcast_shapes(q.shape[:-2], k.shape[:-2], v.shape[:-2])
        found = [one_head(*tensors, *settings) for tensors in heads(leading, (q, 2), (k, 2), (v, 2))]
        output = torch.stack([one for one, _ in found]).reshape(*leading, q.shape[-2], v.shape[-1])
        log = torch.stack([one for _, one in found]).reshape(*leading, q.shape[-2])
        ctx.save_for_backward(q, k, v, log)
        ctx.settings = settings
        kept = torch.float64 if torch.float64 in (q.dtype, k.dtype, v.dtype) else torch.float32
        return output.to(q.dtype), log.to(kept)

    @staticmethod
    def backward(ctx, up, up_log):
        return *all_gradients(*ctx.saved_tensors, up, up_log, *ctx.settings), None, None, None


def all_gradients(q, k, v, log, up, up_log, *settings):
    leading = torch.broadcast_shapes(q.shape[:-2], k.shape[:-2], v.shape[:-2])
    found = [one_head_backward(*tensors, *settings) for tensors in heads(leading, (q, 2), (k, 2), (v, 2), (log, 1), (up, 2), (up_log, 1))]
    whole = [torch.stack(several).reshape(*leading, *several[0].shape) for several in zip(*found)]
    return [gradient.sum_to_size(x.shape).to(x.dtype) for gradient, x in zip(whole, (q, k, v))]


def refuse_what_does_not_fit(q, k, v, block_q, block_k):
    if block_q <= 0 or block_k <= 0:
        raise ValueError("no tile")
    for a, b in ((q.shape[-1], k.shape[-1]), (k.shape[-2], v.shape[-2])):
        if a != b:
            raise ValueError("%d is not %d" % (a, b))
    shapes = [list(x.shape[:-2]) for x in (q, k, v)]
    try:
        torch.broadcast_shapes(*shapes)
    except RuntimeError:
        raise ValueError(f"these do not broadcast: {shapes}")


def flash_attention(q, k, v, is_causal=False, block_q=64, block_k=64):
    refuse_what_does_not_fit(q, k, v, block_q, block_k)
    return Attention.apply(q, k, v, is_causal, block_q, block_k)


def flash_attention_backward(q, k, v, output, logsumexp, d_output, is_causal=False, block_q=64, block_k=64):
    refuse_what_does_not_fit(q, k, v, block_q, block_k)
    if d_output.shape != output.shape:
        raise ValueError("the gradient is not that of the output")
    return tuple(all_gradients(q, k, v, logsumexp, d_output, torch.zeros_like(logsumexp), is_causal, block_q, block_k))
