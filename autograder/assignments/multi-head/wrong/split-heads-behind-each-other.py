"""The heads are laid one behind the other along the axis of the tokens, as `torch.cat` does. They need an axis of their own,
right behind the batch: (B, H, T, d_head)."""


def split_heads(x, n_heads):
    check_heads(x.shape[-1], n_heads)
    b, t, d = x.shape
    return torch.cat(x.chunk(n_heads, dim=-1), dim=1)
