"""The result is float32 whatever came in. Merging moves numbers and computes nothing, so the dtype has to stay."""

right_merge_heads = merge_heads


def merge_heads(x):
    return right_merge_heads(x.float())
