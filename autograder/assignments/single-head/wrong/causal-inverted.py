"""The mask allows the future and forbids the past. True means may attend: the lower triangle has to be True."""


def causal_mask(n_queries, n_keys):
    return np.arange(n_keys) > np.arange(n_queries)[:, None] + (n_keys - n_queries)
