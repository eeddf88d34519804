"""The last two axes have changed places. Each head wants its tokens in rows and its features in columns: (B, H, T,
d_head)."""


def split_heads(x, n_heads):
    check_heads(x.shape[-1], n_heads)
    b, t, d = x.shape
    return x.reshape(b, t, n_heads, d // n_heads).permute(0, 2, 3, 1)
