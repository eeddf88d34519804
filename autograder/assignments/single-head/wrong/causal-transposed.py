"""Queries and keys have changed places: the rows of the mask are the queries, the columns the keys."""

right_causal_mask = causal_mask


def causal_mask(n_queries, n_keys):
    return right_causal_mask(n_keys, n_queries).T
