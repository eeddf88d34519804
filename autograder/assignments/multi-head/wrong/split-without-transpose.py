"""The heads stand behind the tokens: (B, T, H, d_head). Attention works on the last two axes, so the heads have to
come before the tokens: exchange the second and the third axis."""


def split_heads(x, n_heads):
    check_heads(x.shape[-1], n_heads)
    b, t, d = x.shape
    return x.reshape(b, t, n_heads, d // n_heads)
