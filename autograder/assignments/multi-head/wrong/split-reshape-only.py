"""The features are regrouped without being moved: a reshape from (B, T, D) straight to (B, H, T, d_head) mixes up
tokens and heads. First give each token its heads, (B, T, H, d_head), and then let heads and tokens change places."""


def split_heads(x, n_heads):
    check_heads(x.shape[-1], n_heads)
    b, t, d = x.shape
    return x.reshape(b, n_heads, t, d // n_heads)
