"""Arrays of NumPy and PyTorch in one form, so that results of either are judged by the same code."""

import functools
import math
from dataclasses import dataclass

import numpy as np

from autograder.sandbox.child_modules import values


@dataclass(frozen=True)
class Plain:
    """An array's numbers in float64 (or bool), with what it was before."""

    kind: str  # "NumPy array" or "PyTorch tensor"
    shape: tuple
    dtype: str  # as its library writes it: float32, torch.float32
    eps: float  # the distance from 1 to the next number of the dtype; 0 for whole numbers
    value: object  # the array itself

    @functools.cached_property
    def numbers(self):
        """The numbers as a NumPy array, made when they are first asked for: an array of the wrong shape may be huge."""
        if self.kind == "NumPy array":
            return np.asarray(self.value) if self.value.dtype == np.bool_ else np.asarray(self.value, dtype=np.float64)
        return (self.value if str(self.value.dtype) == "torch.bool" else self.value.double()).numpy()

    @property
    def size(self):
        """How many numbers there are."""
        return math.prod(self.shape)


def plain(value):
    """The Plain of an array, a NumPy scalar or a tensor; None for anything else."""
    if isinstance(value, (np.ndarray, np.generic)):
        floating = np.issubdtype(value.dtype, np.floating)
        return Plain("NumPy array", value.shape, str(value.dtype), float(np.finfo(value.dtype).eps) if floating else 0.0, value)
    torch = values.loaded_torch()
    if torch is not None and isinstance(value, torch.Tensor):
        value = value.detach().cpu()
        eps = torch.finfo(value.dtype).eps if value.is_floating_point() else 0.0
        return Plain("PyTorch tensor", tuple(value.shape), str(value.dtype), eps, value)
    return None


def rounded(numbers, like, shift):
    """The numbers after one rounding in a dtype: shift is added and subtracted in it. `like`: a Plain of that dtype."""
    if like.kind == "NumPy array":
        dtype = np.dtype(like.dtype)
        moved = np.asarray(shift, dtype)
        return ((numbers.astype(dtype) + moved) - moved).astype(np.float64)
    torch = values.loaded_torch()
    narrow = torch.from_numpy(numbers).to(getattr(torch, like.dtype.removeprefix("torch.")))
    return ((narrow + shift) - shift).double().numpy()
