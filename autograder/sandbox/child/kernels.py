"""Triton kernels under observation: run in the interpreter with every access checked and all work counted, or compiled for a GPU that is not there.

Both sides of the sandbox use it, and so do students: it lies in the `course` package of the exercise, too.

In the interpreter a kernel may read and write what it likes. `watched` puts every tensor between two bands of NaN and checks each address against the
tensors that the kernel was given, before the access: a stray load gives NaN, a stray store is left out, and both are counted.
"""

import contextlib
import math
import re
import subprocess
import tempfile
from dataclasses import dataclass, field

import numpy as np

BAND = 1 << 16  # bytes on each side: as far as a tile of 128 rows of 128 numbers of 32 bits reaches
OUTSIDE = re.compile(r"(?:(?:add|b|ba)*mm|addmv|mv|dot|vdot|matmul|linear|einsum|_?(?:log_|safe_)?softmax|logsumexp|exp2?|expm1|pow|convolution"
                     r"|\w*attention\w*)_?(?:\.\w+)?$")  # what the exercise leaves to kernels
EXITS = ("numpy", "__array__", "tolist", "__dlpack__")


@dataclass
class Work:
    """What kernels have done during a call."""

    launches: int = 0
    programs: int = 0
    stray_loads: int = 0
    stray_stores: int = 0
    products: int = 0  # multiplications, in tl.dot and elementwise
    powers: int = 0  # exponentials
    tf32: int = 0  # float32 products that a GPU would round to TF32; the interpreter does not
    launching: bool = False  # whether a kernel is running
    inside: list = field(default_factory=list)  # operators of PyTorch's that a kernel called
    outside: list = field(default_factory=list)  # products and softmaxes that PyTorch computed outside kernels, and ways out of PyTorch
    arguments: list = field(default_factory=list)  # the call's, as it has left them


def observed(see, function, arguments, keywords):
    """(what is asked for of a call, its arguments as it has left them).

    see["what"] is one of:
    - "output".
    - "by kernels" → (the output, {"launched": whether kernels were started, "outside": whether PyTorch did what is left to them, or NumPy may have}).
    - "strays" → {"loads": …, "stores": …}, whether there were any.
    - "work", with "products": n and "powers": n → {"inside": whether a kernel called PyTorch, "outside": as above,
      "products", "powers": whether kernels did at least so many}.
    - "tf32" → whether float32 was multiplied as TF32.
    - "launched" and "compiled", with "capability": 80 → what the functions of these names find.
    """
    if see["what"] == "compiled":
        return compiled(see["capability"], function, *arguments, **keywords), arguments
    if see["what"] == "launched":
        return launched(function, *arguments, **keywords), arguments
    value, work = _watched(function, arguments, keywords, exits)
    asked = {
        "output": lambda: value,
        "by kernels": lambda: (value, {"launched": work.launches > 0, "outside": bool(work.outside)}),
        "strays": lambda: {"loads": work.stray_loads > 0, "stores": work.stray_stores > 0},
        "work": lambda: {"inside": bool(work.inside), "outside": bool(work.outside), "products": work.products >= see["products"],
                         "powers": work.powers >= see["powers"]},
        "tf32": lambda: work.tf32 > 0,
    }
    return asked[see["what"]](), work.arguments


def watched(function, *arguments, **keywords):
    """Call a function with its tensors between guard bands. Returns (what it returns, Work); what a kernel raises comes as it was raised."""
    return _watched(function, arguments, keywords)


def _watched(function, arguments, keywords, besides=contextlib.nullcontext):
    """besides(work): what else there is to watch, for the length of the call."""
    import torch

    work, regions = Work(), {}
    arguments = [guarded(value, regions) if isinstance(value, torch.Tensor) else value for value in arguments]
    keywords = {name: guarded(value, regions) if isinstance(value, torch.Tensor) else value for name, value in keywords.items()}
    work.arguments = arguments
    with interpreter(work, regions), dispatch(work, regions), besides(work):
        try:
            value = function(*arguments, **keywords)
        except Exception as error:
            raise unwrapped(error)
    return value, work


def unwrapped(error):
    """The student's own exception, which the interpreter has wrapped in another one for each kernel that it came through."""
    while type(error).__name__ == "InterpreterError" and error.__cause__ is not None:
        error = error.__cause__
    error.__cause__ = None
    return error


def guarded(x, regions):
    """A copy of a tensor with the same strides in the middle of a larger buffer; `regions` learns where it may be read, by its storage."""
    import torch

    size = x.element_size()
    n = 1 + sum((length - 1) * stride for length, stride in zip(x.shape, x.stride())) if x.numel() else 0
    buffer = banded(n * size, x.dtype)
    begin = buffer.untyped_storage().data_ptr() + BAND
    regions[buffer.untyped_storage().data_ptr()] = (begin, begin + n * size)
    copy = torch.as_strided(buffer, x.shape, x.stride(), BAND // size)
    if x.numel():
        copy.copy_(x)
    return copy


def banded(n_bytes, dtype):
    """A flat tensor of n_bytes and two bands, full of NaN, or of a number that is no index where the dtype has no NaN."""
    import torch

    filling = math.nan if dtype.is_floating_point else True if dtype == torch.bool else 77
    size = torch.empty(0, dtype=dtype).element_size()
    return torch.full(((n_bytes + 2 * BAND) // size,), filling, dtype=dtype)


@contextlib.contextmanager
def dispatch(work, regions):
    """Move each tensor that PyTorch makes between bands of its own, full of NaN where it is said to be empty; note what PyTorch computes."""
    import torch
    from torch.utils._python_dispatch import TorchDispatchMode

    def rehomed(x, empty):
        if not isinstance(x, torch.Tensor) or x.layout != torch.strided or x.device.type != "cpu" or x.is_complex() or x.is_quantized:
            return x
        storage = x.untyped_storage()
        if storage.data_ptr() in regions or not storage.nbytes():
            return x
        size = x.element_size()
        buffer = banded(storage.nbytes(), x.dtype)
        begin = buffer.untyped_storage().data_ptr() + BAND
        regions[buffer.untyped_storage().data_ptr()] = (begin, begin + storage.nbytes())
        kept.append(buffer)  # an address that is used again would be taken for this one
        moved = torch.as_strided(buffer, x.shape, x.stride(), BAND // size + x.storage_offset())
        if not empty:
            moved.copy_(x)
        return moved

    kept = []

    class Watch(TorchDispatchMode):
        def __torch_dispatch__(self, operation, types, args=(), kwargs=None):
            given = operation(*args, **(kwargs or {}))
            name = called(operation)
            if work.launching:
                note(work.inside, name)
                return given
            if left_to_kernels(name, given, args):
                note(work.outside, name)
            if operation.is_view or operation._schema.is_mutable:
                return given
            if isinstance(given, torch.Tensor):
                return rehomed(given, "empty" in name)
            return type(given)(rehomed(one, False) for one in given) if type(given) in (tuple, list) else given

    with Watch():
        yield


@contextlib.contextmanager
def exits(work):
    """Note where a tensor's numbers leave PyTorch while no kernel runs: what NumPy or Python computes is seen by nobody."""
    import torch

    own = {name: vars(torch.Tensor)[name] for name in EXITS if name in vars(torch.Tensor)}  # it inherits the others

    def noted(name, way):
        def leave(self, *arguments, **keywords):
            if not work.launching:
                note(work.outside, f"Tensor.{name}")
            return way(self, *arguments, **keywords)

        return leave

    for name in EXITS:
        setattr(torch.Tensor, name, noted(name, getattr(torch.Tensor, name)))
    try:
        yield
    finally:
        for name in EXITS:
            delattr(torch.Tensor, name)
        for name, way in own.items():
            setattr(torch.Tensor, name, way)


def note(names, name):
    if name not in names and len(names) < 20:
        names.append(name)


def called(operation):
    """The name of an operator of PyTorch's: mm.default."""
    return str(operation).removeprefix("aten.")


def left_to_kernels(name, given, args):
    """Whether what PyTorch has computed is what the exercise leaves to kernels. name: the operator's; given: its result."""
    return OUTSIDE.match(name) is not None or (name.startswith("mul") and grows(given, args))


def grows(given, args):
    """Whether an elementwise product is larger than both of its factors: an outer product."""
    sizes = [one.numel() for one in args if hasattr(one, "numel")]
    return hasattr(given, "numel") and len(sizes) == 2 and given.numel() > max(sizes)


@contextlib.contextmanager
def interpreter(work, regions):
    """Have Triton's interpreter check each access and count the work, until the block ends."""
    from triton.runtime import interpreter as triton_interpreter
    from triton.runtime.autotuner import Autotuner

    builder, executor = triton_interpreter.interpreter_builder, triton_interpreter.GridExecutor
    load, store, dot = builder.create_masked_load, builder.create_masked_store, builder.create_dot
    multiply, multiply_and_add = builder.create_fmul, builder.create_fma
    add_atomically, exchange = builder.create_atomic_rmw, builder.create_atomic_cas
    begin, end, tune = executor._init_args_hst, executor._restore_args_dev, Autotuner.run
    call, place = executor.__call__, builder.set_grid_idx
    handle, spans, patch_language, patched = triton_interpreter.TensorHandle, [], triton_interpreter._patch_lang, set()

    def strays(pointers, mask):
        """Where addresses that are meant lie outside all tensors of this launch."""
        size = max(1, pointers.get_element_ty().primitive_bitwidth // 8)
        inside = np.zeros(pointers.data.shape, bool)
        for low, high in spans:
            inside |= (pointers.data >= low) & (pointers.data + np.uint64(size) <= high)
        return meant(mask) & ~inside

    def meant(mask):
        return np.asarray(mask.data, bool)  # of a pointer to a block it is an array itself

    def checked_load(pointers, mask, other, *rest):
        stray = strays(pointers, mask)
        if not stray.any():
            return load(pointers, mask, other, *rest)
        work.stray_loads += int(stray.sum())
        found = load(pointers, handle(meant(mask) & ~stray, pointers.dtype), other, *rest)
        if found.data.dtype.kind == "f":
            found.data[stray] = math.nan
        return found

    def checked_store(pointers, value, mask, *rest):
        stray = strays(pointers, mask)
        work.stray_stores += int(stray.sum())
        return store(pointers, value, handle(meant(mask) & ~stray, pointers.dtype), *rest)

    def checked_atomic(order, pointers, value, mask, *rest):
        stray = strays(pointers, mask)
        work.stray_stores += int(stray.sum())
        return add_atomically(order, pointers, value, handle(meant(mask) & ~stray, pointers.dtype), *rest)

    def checked_exchange(pointers, *rest):
        stray = strays(pointers, handle(np.ones_like(pointers.data, bool), pointers.dtype))
        if stray.any():
            raise IndexError("an atomic operation outside the kernel's tensors")
        return exchange(pointers, *rest)

    def counted_dot(a, b, d, precision, *rest):
        work.products += a.data.size * b.data.shape[-1]
        work.tf32 += a.data.dtype == np.float32 and re.search(r"TF32(?!x3)", str(precision)) is not None
        return dot(a, b, d, precision, *rest)

    def counted_multiply(a, b):
        found = multiply(a, b)
        work.products += found.data.size
        return found

    def counted_multiply_and_add(a, b, c):
        found = multiply_and_add(a, b, c)
        work.products += found.data.size
        return found

    def counted(power):
        def count(x):
            work.powers += x.data.size
            return power(x)

        return count

    def begun(self, args_dev, kwargs):
        args_hst, kwargs_hst = begin(self, args_dev, kwargs)
        spans[:] = [span for value in (*args_hst, *kwargs_hst.values()) for span in spans_of(value, regions)]
        work.launches += 1
        work.launching = True
        patched.clear()
        return args_hst, kwargs_hst

    def patched_once(function):
        """The interpreter makes Triton's language anew at each call of a function inside a kernel, which takes most of its time."""
        names = frozenset(name for name, value in function.__globals__.items() if getattr(value, "__name__", "").startswith("triton.language"))
        if work.launching and names in patched:
            return triton_interpreter._LangPatchScope()
        patched.add(names)
        return patch_language(function)

    def ended(self, *rest):
        work.launching = False
        return end(self, *rest)

    def programmed(self, *arguments, **keywords):
        try:
            return call(self, *arguments, **keywords)
        finally:
            work.launching = False

    def untuned(self, *arguments, **keywords):
        return self.fn.run(*arguments, **{**keywords, **self.configs[0].all_kwargs()})  # to measure them all there would have to be a GPU

    def placed(*index):
        work.programs += 1
        return place(*index)

    patches = {"create_masked_load": checked_load, "create_masked_store": checked_store, "create_dot": counted_dot, "create_fmul": counted_multiply,
               "create_fma": counted_multiply_and_add,
               "create_atomic_rmw": checked_atomic, "create_atomic_cas": checked_exchange, "create_exp": counted(builder.create_exp),
               "create_exp2": counted(builder.create_exp2), "set_grid_idx": placed}
    for name, patch in patches.items():
        setattr(builder, name, patch)
    executor._init_args_hst, executor._restore_args_dev, executor.__call__, Autotuner.run = begun, ended, programmed, untuned
    triton_interpreter._patch_lang = patched_once
    try:
        yield
    finally:
        executor._init_args_hst, executor._restore_args_dev, executor.__call__, Autotuner.run = begin, end, call, tune
        triton_interpreter._patch_lang = patch_language
        for name in patches:
            delattr(builder, name)


def spans_of(value, regions):
    """The ranges of addresses, [(first, last + 1)], that an argument of a kernel stands for."""
    if isinstance(value, tuple):
        return [span for item in value for span in spans_of(item, regions)]
    value = getattr(value, "base", value) if not hasattr(value, "untyped_storage") else value  # a descriptor's or a wrapper's tensor
    if not hasattr(value, "untyped_storage"):
        return []
    storage = value.untyped_storage()
    begin = storage.data_ptr()
    return [regions.get(begin, (begin, begin + storage.nbytes()))]


# On a GPU


def launched(function, *arguments, **keywords):
    """{"launched": whether a call starts kernels, "outside": whether PyTorch computes what is left to them}, wherever the tensors are."""
    from torch.utils._python_dispatch import TorchDispatchMode
    from triton.runtime import interpreter as triton_interpreter
    from triton.runtime import jit

    started, outside = [], []
    kinds = {kind: kind.run for kind in (jit.JITFunction, triton_interpreter.InterpretedFunction)}

    class Watch(TorchDispatchMode):
        def __torch_dispatch__(self, operation, types, args=(), kwargs=None):
            given = operation(*args, **(kwargs or {}))
            name = called(operation)
            if left_to_kernels(name, given, args):
                note(outside, name)
            return given

    def noted(run):
        def noting(self, *arguments, warmup=False, **keywords):
            if not warmup:
                note(started, getattr(self, "__name__", "kernel"))
            return run(self, *arguments, warmup=warmup, **keywords)

        return noting

    for kind, run in kinds.items():
        kind.run = noted(run)
    try:
        with Watch():
            function(*arguments, **keywords)
    finally:
        for kind, run in kinds.items():
            kind.run = run
    return {"launched": bool(started), "outside": bool(outside)}


# Compiling for a GPU that is not there


class AbsentGPU:
    """A driver that says which GPU to compile for, and can do nothing else."""

    def __init__(self, capability):
        self.capability = capability

    def get_current_target(self):
        from triton.backends.compiler import GPUTarget

        return GPUTarget("cuda", self.capability, 32)

    def get_current_device(self):
        return self.capability  # a kernel that has been compiled is kept by the device's number

    def get_current_stream(self, device=None):
        return 0


def compiled(capability, function, *arguments, **keywords):
    """What the kernels that a function starts take of a GPU of that capability (80, 90), without one: nothing is run.

    Returns [{"name", "shared": bytes a program, "registers", "stack": bytes, of a thread; None where nothing tells, "warps"}], a kernel each.
    Raises what the compiler rejects them with. The process has to have Triton loaded without its interpreter.
    """
    from triton.runtime import autotuner, driver, jit

    found = []
    run, tune = jit.JITFunction.run, autotuner.Autotuner.run

    def compile_only(self, *arguments, grid, warmup, **keywords):
        made = run(self, *arguments, grid=grid, warmup=True, **keywords)
        about = made.metadata
        found.append({"name": self.fn.__name__[:100], "shared": int(about.shared), "warps": int(about.num_warps), **resources(made.asm["cubin"])})
        return made

    def untuned(self, *arguments, **keywords):
        return self.fn.run(*arguments, **{**keywords, **self.configs[0].all_kwargs()})

    former = driver._active  # asking for it would look for a GPU
    driver.set_active(AbsentGPU(capability))
    jit.JITFunction.run, autotuner.Autotuner.run = compile_only, untuned
    try:
        function(*arguments, **keywords)
    finally:
        jit.JITFunction.run, autotuner.Autotuner.run = run, tune
        driver._active = former
    return found


def resources(cubin):
    """Registers and stack of a thread, by cuobjdump, which comes with Triton; None where it does not."""
    try:
        from triton import knobs

        with tempfile.NamedTemporaryFile(suffix=".cubin") as file:
            file.write(cubin)
            file.flush()
            text = subprocess.run([knobs.nvidia.cuobjdump.path, "-res-usage", file.name], capture_output=True, text=True, check=True).stdout
        registers, stack = map(int, re.search(r"REG:(\d+) STACK:(\d+)", text).groups())
        return {"registers": registers, "stack": stack}
    except Exception:
        return {"registers": None, "stack": None}
