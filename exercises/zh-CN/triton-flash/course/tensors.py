"""PyTorch's tensors as a check sees them: their numbers in a NumPy array that remembers what it was. PyTorch is loaded by the exercise."""

import math
import sys

import numpy as np

LAYERS = ("w_q", "w_k", "w_v", "w_o")  # of an attention module


class Tensor(np.ndarray):
    """A tensor's numbers. `dtype_of` tells the tensor's own dtype: bfloat16, which NumPy has not, is kept as float32."""

    torch_dtype = None


def numbers_of(value):
    """The Tensor of a PyTorch tensor as it is now."""
    value = value.detach().cpu()
    name = str(value.dtype).removeprefix("torch.")
    return from_array((value.float() if name == "bfloat16" else value).resolve_conj().resolve_neg().numpy(), name)


def from_array(array, name):
    """The Tensor with these numbers whose dtype in PyTorch has that name."""
    tensor = np.array(array).view(Tensor)
    tensor.torch_dtype = name
    return tensor


def dtype_of(array):
    """An array's dtype as its library writes it: float32, or torch.float32."""
    return f"torch.{array.torch_dtype}" if isinstance(array, Tensor) else str(array.dtype)


def precision_of(array):
    """The dtype's name, whichever library it is of."""
    return dtype_of(array).removeprefix("torch.")


def is_tensor(value):
    """Whether it is a tensor of PyTorch's."""
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(value, torch.Tensor)


def tensor(numbers, dtype="float32"):
    """A PyTorch tensor with these numbers (nested lists, an array, a range), for a public check."""
    import torch

    return torch.tensor(np.asarray(numbers).tolist(), dtype=getattr(torch, dtype))


def waves(*shape, shift=0.0):
    """A float32 tensor of that shape whose numbers are neither large nor small, and of which few are alike: a sine's, to two decimals."""
    n = math.prod(shape)
    return tensor(np.round(np.sin(1.7 * np.arange(1, n + 1) + shift), 2).reshape(shape))


def fill(module):
    """Give a module's parameters fixed numbers, which differ from one parameter to the next; returns the module."""
    import torch

    inside = getattr(module, "made", module)
    with torch.no_grad():
        for place, (_, parameter) in enumerate(sorted(inside.named_parameters())):
            parameter.copy_(waves(*parameter.shape, shift=0.9 * place))
    return module


def gradient(output, x, cotangent):
    """The gradient of Σ output · cotangent for x; zeros where none gets there."""
    import torch

    if not output.requires_grad:
        return torch.zeros_like(x)
    return torch.autograd.grad(output, x, cotangent, allow_unused=True, materialize_grads=True)[0]


def mask_of(rows):
    """A boolean mask, from ones and zeros."""
    return tensor(rows) > 0


def layer_shapes(made):
    """What an attention module's four layers hold, each in a line such as `weight (4, 8), bias None`."""
    found = {name: tuple(parameter.shape) for name, parameter in getattr(made, "made", made).named_parameters()}
    return {layer: ", ".join(f"{kind} {found.get(f'{layer}.{kind}')}" for kind in ("weight", "bias")) for layer in LAYERS}


def largest_tensor(function, *arguments):
    """How many numbers the largest tensor holds that PyTorch makes while a function runs: each operation shows what it gives."""
    import torch
    from torch.utils._python_dispatch import TorchDispatchMode

    class Watch(TorchDispatchMode):
        largest = 0

        def __torch_dispatch__(self, operation, types, args=(), kwargs=None):
            given = operation(*args, **(kwargs or {}))
            for one in given if isinstance(given, (tuple, list)) else [given]:
                if isinstance(one, torch.Tensor):
                    self.largest = max(self.largest, one.untyped_storage().nbytes() // one.element_size())
            return given

    with Watch() as watch:
        function(*arguments)
    return watch.largest
