"""The heads stand before the batch: (H, B, T, d_head). The batch stays in front, and the heads come right after it."""


def split_heads(x, n_heads):
    check_heads(x.shape[-1], n_heads)
    b, t, d = x.shape
    return x.reshape(b, t, n_heads, d // n_heads).permute(2, 0, 1, 3)
