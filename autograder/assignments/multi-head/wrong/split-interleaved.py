"""The features are dealt out in turn, as one deals cards. Each head gets a run of neighbouring features: head 0 the
first d_head of them, head 1 the next."""


def split_heads(x, n_heads):
    check_heads(x.shape[-1], n_heads)
    b, t, d = x.shape
    return x.reshape(b, t, d // n_heads, n_heads).permute(0, 3, 1, 2)
