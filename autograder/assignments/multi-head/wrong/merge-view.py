"""`view` works only where the numbers already lie in memory in the new order, which after exchanging two axes they
do only by chance. `reshape` and `flatten` copy them where they have to."""


def merge_heads(x):
    b, h, t, d = x.shape
    return x.transpose(1, 2).view(b, t, h * d)
