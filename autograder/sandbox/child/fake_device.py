"""A GPU that is none, for the course's own tests: tensors on it compute on the CPU, and know that they are somewhere else.

A tensor on it says that its device is cuda:0, does not mix with those of the CPU, and comes back by .cpu() or .to("cpu") alone. New tensors
are made there by device="cuda". So what the grader does with a GPU can be tried out where there is none.
"""

import ctypes
import sys

import torch
from torch.overrides import TorchFunctionMode
from torch.utils._pytree import tree_leaves, tree_map

HERE = torch.device("cuda", 0)
MAY_MIX = ("aten::index", "aten::copy_", "aten::_index_put")  # these take tensors of the CPU beside those of the device
M_MMAP_THRESHOLD = -3  # of mallopt(3)
MODES = []  # that of this process, which is never left
noticed = []  # (what has copied to the CPU, how many numbers)


def switch_on():
    """From now on, and in this thread, what names the device "cuda" reaches the one that is none."""
    getattr(ctypes.CDLL(None), "mallopt", lambda *values: None)(M_MMAP_THRESHOLD, 1 << 16)  # what is freed is given back, as memory of a device is
    MODES.append(Naming())
    MODES[-1].__enter__()
    torch.__future__.set_overwrite_module_params_on_conversion(True)  # a parameter becomes another object
    apply = torch.autograd.function.BackwardCFunction.apply

    def with_mode(self, *gradients):
        with MODES[-1]:  # a backward pass begins without modes
            return apply(self, *gradients)

    torch.autograd.function.BackwardCFunction.apply = with_mode
    interpreter = sys.modules.get("triton.runtime.interpreter")
    if interpreter:
        run = interpreter.InterpretedFunction.run

        def on_device(self, *arguments, **keywords):
            """Triton's interpreter looks at where a tensor's numbers are, which only `inner` knows."""
            return run(self, *tree_map(unwrapped, arguments), **tree_map(unwrapped, keywords))

        interpreter.InterpretedFunction.run = on_device


class OnDevice(torch.Tensor):
    """A tensor on the device that is none; `inner` holds its numbers."""

    @staticmethod
    def __new__(cls, inner):
        like = {"dtype": inner.dtype, "layout": inner.layout, "device": inner.device, "storage_offset": inner.storage_offset()}
        return torch.Tensor._make_wrapper_subclass(cls, inner.shape, strides=inner.stride(), requires_grad=False, **like)

    def __init__(self, inner):
        self.inner = inner

    device = property(lambda self: HERE)
    is_cuda = property(lambda self: True)
    is_cpu = property(lambda self: False)

    def __repr__(self):
        return f"{self.inner!r} on cuda:0, which is none"

    def get_device(self):
        return HERE.index

    def cuda(self, *args, **kwargs):
        return self

    def cpu(self, *args, **kwargs):
        return to_cpu(self, "Tensor.cpu")

    def to(self, *args, **kwargs):
        return move(self, *args, **kwargs)

    def tolist(self):
        return to_cpu(self, "Tensor.tolist").tolist()

    def numpy(self, *args, **kwargs):
        raise TypeError("can't convert cuda:0 device type tensor to numpy. Use Tensor.cpu() to copy the tensor to host memory first.")

    __array__ = numpy

    @classmethod
    def __torch_dispatch__(cls, function, types, args=(), kwargs=None):
        name, kwargs = function._schema.name, dict(kwargs or {})
        if not name.startswith(MAY_MIX):
            refuse_mixture((args, kwargs))
        if kwargs.get("device") is not None:
            kwargs["device"] = "cpu"
        result = function(*tree_map(unwrapped, args), **tree_map(unwrapped, kwargs))
        if name.startswith("aten::copy_") and not isinstance(args[0], OnDevice):
            noticed.append((name, result.numel()))
            return result
        if args and isinstance(args[0], OnDevice) and result is args[0].inner:
            return args[0]  # it was changed in place
        return tree_map(wrapped, result)


def unwrapped(value):
    """The numbers of a tensor on the device; anything else as it is."""
    return value.inner if isinstance(value, OnDevice) else value


def wrapped(value):
    """A tensor of the CPU as one on the device; anything else as it is."""
    return OnDevice(value) if isinstance(value, torch.Tensor) and not isinstance(value, OnDevice) else value


def refuse_mixture(several):
    """Raise as PyTorch does where a tensor of the CPU, other than a single number, comes together with one on the device.

    In a backward pass zeros pass for either: autograd makes them itself, and takes our tensors for those of the CPU.
    """
    strangers = [value for value in tree_leaves(several) if isinstance(value, torch.Tensor) and not isinstance(value, OnDevice) and value.ndim]
    if strangers and (torch._C._current_graph_task_id() == -1 or any(value.any() for value in strangers)):
        raise RuntimeError("Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!")


class Naming(TorchFunctionMode):
    """What names a device reaches the one that is none."""

    def __torch_function__(self, function, types, args=(), kwargs=None):
        kwargs = dict(kwargs or {})
        if function is torch.Tensor.cuda:
            return to_device(args[0])
        if function is torch.Tensor.to:
            return move(*args, **kwargs)
        if kwargs.get("device") is not None and torch.device(kwargs["device"]).type == HERE.type:
            return tree_map(wrapped, function(*args, **kwargs | {"device": "cpu"}))
        return function(*args, **kwargs)


def move(x, *args, device=None, **kwargs):
    """Tensor.to."""
    rest = []
    for value in args:
        if isinstance(value, (str, int, torch.device)) and not isinstance(value, bool):
            device = value
        elif isinstance(value, torch.Tensor):
            device, rest = value.device, [value.dtype]
        elif isinstance(value, torch.dtype):
            rest = [value]
    if device is not None:
        on_device = not isinstance(device, (str, torch.device)) or torch.device(device).type == HERE.type
        x = to_device(x) if on_device else to_cpu(x, "Tensor.to")
    kwargs = {name: value for name, value in kwargs.items() if value is not None and name != "non_blocking"}
    return torch._C.TensorBase.to(x, *rest, **kwargs) if rest or kwargs else x


class _ToDevice(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return OnDevice(x.detach().clone())

    @staticmethod
    def backward(ctx, gradient):
        return gradient.inner


class _ToCpu(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.inner.clone()

    @staticmethod
    def backward(ctx, gradient):
        return OnDevice(gradient)


def to_device(x):
    """The same numbers on the device."""
    return x if isinstance(x, OnDevice) else _ToDevice.apply(x)


def to_cpu(x, how):
    """The same numbers on the CPU."""
    if not isinstance(x, OnDevice):
        return x
    noticed.append((how, x.numel()))
    return _ToCpu.apply(x)
