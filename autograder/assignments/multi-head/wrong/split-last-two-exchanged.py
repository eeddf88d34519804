"""The last two axes have changed places, and the heads stand last. It is the axes of tokens and heads that change places,
the second and the third, (B, T, H, d_head) to (B, H, T, d_head)."""


def split_heads(x, n_heads):
    check_heads(x.shape[-1], n_heads)
    b, t, d = x.shape
    return x.reshape(b, t, n_heads, d // n_heads).transpose(2, 3)
