"""Noticing calls of a library's attention where the exercise asks for the student's own.

PyTorch's routes are closed at three places, so that no spelling gets around them: the operators in the dispatcher, whatever Python or C++
function leads there; the Python functions that compute attention from simpler operators, by replacing their code, so that references
taken earlier are meant too; and modules. Each raises LibraryAttention, and is written down in `seen` before.
"""

import sys

seen = []
libraries = []  # registrations end when their object does

OPERATORS = (
    "scaled_dot_product_attention",
    "_scaled_dot_product_attention_math",
    "_scaled_dot_product_flash_attention",
    "_scaled_dot_product_flash_attention_for_cpu",
    "_scaled_dot_product_efficient_attention",
    "_scaled_dot_product_cudnn_attention",
    "_scaled_dot_product_fused_attention_overrideable",
    "_flash_attention_forward",
    "_efficient_attention_forward",
    "_native_multi_head_attention",
    "_triton_multi_head_attention",
    "_triton_scaled_dot_attention",
    "_transformer_encoder_layer_fwd",
)
KEYS = ("CPU", "AutogradCPU", "CUDA", "AutogradCUDA", "FuncTorchVmapMode", "NestedTensorCPU", "NestedTensorCUDA", "AutogradNestedTensor",
        "AutogradOther", "CompositeImplicitAutogradNestedTensor", "CompositeImplicitAutograd")  # the last is what decompose() looks at
FUNCTIONS = (
    ("torch.nn.functional", "multi_head_attention_forward"),
    ("torch.nn.attention.flex_attention", "flex_attention"),
    ("torch._higher_order_ops.flex_attention", "math_attention"),
    ("torch.onnx.ops._impl", "attention_23"),
)


class LibraryAttention(RuntimeError):
    """A library's attention was called where the exercise forbids it."""


def close():
    """Close all routes in this process, where torch is loaded at all."""
    if "torch" not in sys.modules:
        return
    close_operators()
    close_functions()
    close_registry()


def close_operators():
    """Put a kernel that raises in place of each attention operator that this version of PyTorch has."""
    import warnings

    import torch

    library = torch.library.Library("aten", "IMPL")
    libraries.append(library)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # PyTorch says that a kernel is replaced, which is what is meant
        for name in OPERATORS:
            if hasattr(torch.ops.aten, name):
                for key in KEYS:
                    library.impl(name, blocker(f"aten::{name}"), key, allow_override=True)


def close_functions():
    """Replace the code of Python functions that compute attention without such an operator."""
    for module, name in FUNCTIONS:
        function = getattr(sys.modules.get(module), name, None)
        function = getattr(function, "_init_fn", function)  # of a custom operator
        if function is not None:
            where = f"{module}.{name}"
            function.__globals__["_call_library_attention"] = blocker(where)
            function.__kwdefaults__ = None
            function.__defaults__ = None
            function.__code__ = _stand_in.__code__


def close_registry():
    """Let nobody put other kernels in the place of those."""
    import torch

    register, refuse = torch._C._dispatch_library, blocker("torch.library.Library")
    torch._C._dispatch_library = lambda kind, namespace, *rest: refuse() if namespace == "aten" else register(kind, namespace, *rest)


def _stand_in(*args, **kwargs):
    return _call_library_attention(*args, **kwargs)  # noqa: F821  (a global of the function whose code this becomes)


def blocker(where):
    """A function that writes down that a route was taken, and raises."""
    def block(*args, **kwargs):
        if where not in seen:
            seen.append(where)
        raise LibraryAttention(where)

    return block
