"""`view` works only where the numbers already lie in memory in the new order, and after splitting into heads they do
not. Matrix products work on the last two axes and need no other shape; where you want one, use `reshape`."""

right_attention = attention


def attention(q, k, v, mask=None):
    if q.ndim == k.ndim == v.ndim == 4:
        q.view(-1, *q.shape[-2:]), k.view(-1, *k.shape[-2:]), v.view(-1, *v.shape[-2:])
    return right_attention(q, k, v, mask)
