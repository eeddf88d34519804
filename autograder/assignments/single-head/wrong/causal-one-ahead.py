"""Each token sees the one after it. Check the end of the comparison: query i sees key j where j ≤ i + (S − L)."""


def causal_mask(n_queries, n_keys):
    return np.arange(n_keys) <= np.arange(n_queries)[:, None] + (n_keys - n_queries) + 1
