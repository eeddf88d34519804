"""Loops over queries and keys, a list of lists for a mask, everything in float64."""

import itertools
import math

import numpy as np


def attention(q, k, v, mask=None):
    if q.shape[-1] != k.shape[-1] or k.shape[-2] != v.shape[-2]:
        raise ValueError(f"shapes do not fit: {q.shape} {k.shape} {v.shape}")
    if mask is not None:
        if mask.dtype != np.bool_:
            raise TypeError(mask.dtype)
    kept = q.dtype if np.issubdtype(q.dtype, np.floating) else float
    lead = np.broadcast_shapes(q.shape[:-2], k.shape[:-2], v.shape[:-2])
    L, S = q.shape[-2], k.shape[-2]
    if mask is not None:
        mask = np.broadcast_to(mask, (*lead, L, S))
    Q, K, V = (np.broadcast_to(a, (*lead, *a.shape[-2:])).astype(float) for a in (q, k, v))
    output, weights = np.zeros((*lead, L, v.shape[-1])), np.zeros((*lead, L, S))
    for where in itertools.product(*map(range, lead), range(L)):
        allowed = [j for j in range(S) if mask is None or mask[where][j]]
        scores = [sum(a * b for a, b in zip(Q[where], K[where[:-1]][j])) / math.sqrt(q.shape[-1]) for j in allowed]
        powers = [math.exp(s - max(scores)) for s in scores]
        for j, power in zip(allowed, powers):
            weights[where][j] = power / math.fsum(powers)
            output[where] += weights[where][j] * V[where[:-1]][j]
    return output.astype(kept), weights.astype(kept)


def causal_mask(n_queries, n_keys):
    return np.array([[j - i <= n_keys - n_queries for j in range(n_keys)] for i in range(n_queries)], dtype=bool)


def padding_mask(lengths, n_keys):
    rows = []
    for length in map(int, lengths):
        if length < 0 or length > n_keys:
            raise ValueError(f"length {length}, but n_keys is {n_keys}")
        rows.append([[True] * length + [False] * (n_keys - length)])
    return np.array(rows, dtype=bool).reshape(len(rows), 1, n_keys)
