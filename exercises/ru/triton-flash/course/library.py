"""Noticing that a student's code calls a library's attention where the exercise asks for the student's own."""

import contextlib
import sys

NAMES = ("scaled_dot_product_attention", "multi_head_attention_forward", "_native_multi_head_attention", "flex_attention")


@contextlib.contextmanager
def watch():
    """A list that fills with the names of the library functions of attention that are called inside; empty without PyTorch."""
    called = []
    if "torch" not in sys.modules:
        yield called
        return
    from torch.overrides import TorchFunctionMode

    class Watch(TorchFunctionMode):
        def __torch_function__(self, function, types, args=(), kwargs=None):
            name = getattr(function, "__name__", "")
            if name in NAMES and name not in called:
                called.append(name)
            return function(*args, **(kwargs or {}))

    with Watch():
        yield called
