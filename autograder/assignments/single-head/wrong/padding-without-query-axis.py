"""The mask has shape (B, S). It would be laid over the queries, not over the batch: give it an axis for the queries,
(B, 1, S)."""

right_padding_mask = padding_mask


def padding_mask(lengths, n_keys):
    return right_padding_mask(lengths, n_keys)[:, 0]
