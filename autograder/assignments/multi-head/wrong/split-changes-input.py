"""The tensor that was handed in has been changed. Methods that end in an underscore, such as `unsqueeze_` or
`resize_`, change the caller's tensor; those without it give a new one."""

right_split_heads = split_heads


def split_heads(x, n_heads):
    result = right_split_heads(x, n_heads).clone()
    with torch.no_grad():
        x.zero_()
    return result
