"""The heads are laid behind each other without changing places with the tokens, so that the numbers of different
tokens get mixed. Exchange the head and the token axis first: (B, T, H, d_head). Then join the last two axes."""


def merge_heads(x):
    b, h, t, d = x.shape
    return x.reshape(b, t, h * d)
