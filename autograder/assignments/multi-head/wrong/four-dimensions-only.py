"""Your attention counts on exactly four axes, batch and heads in front. Any number of leading dimensions has to
work, none included: count axes from the end, with -1 and -2."""

right_attention = attention


def attention(q, k, v, mask=None):
    batch, n_heads, n_queries, d_head = q.shape
    return right_attention(q, k, v, mask)
