"""The mask holds numbers. In this course a mask is boolean, True = may attend: a comparison such as keys <= queries
gives one."""

right_causal_mask = causal_mask


def causal_mask(n_queries, n_keys):
    return np.where(right_causal_mask(n_queries, n_keys), 0.0, -np.inf)
