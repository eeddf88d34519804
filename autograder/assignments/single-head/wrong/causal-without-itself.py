"""A token may not see itself here. Its own position is not the future: compare with ≤ and not with <."""


def causal_mask(n_queries, n_keys):
    return np.arange(n_keys) < np.arange(n_queries)[:, None] + (n_keys - n_queries)
