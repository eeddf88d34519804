"""The GPU of a test's process. What a call takes is moved there before it, and values.py brings back what it gives and says where it was.

A process that has touched CUDA cannot be forked: a test of a GPU runs in the submission's own process, which is made for it alone.
What is noted in here can be switched off by the student's code in the same process. Places, memory and time are looked at from outside, too.
"""

import contextlib

import values

noticed = []  # [what has copied numbers from the device to the CPU, how many]
broken = []  # precisions that the student's code has changed


class Device:
    """The device that the grader has asked for: {"name": "cuda", "fake": bool, "share": of the memory that is free, "cache_bytes": …}."""

    def __init__(self, settings):
        import torch

        self.torch, self.name, self.fake = torch, settings["name"], settings["fake"]
        self.cache_bytes, self.sweeper = settings["cache_bytes"], None
        full_precision(torch)
        if self.fake:
            import fake_device

            fake_device.switch_on()
            values.further_tensors.append(fake_device.OnDevice)
            self.log = fake_device.noticed
        else:
            torch.cuda.init()
            torch.cuda.set_per_process_memory_fraction(settings["share"])  # what goes beyond it raises OutOfMemoryError
            self.log = []
        self.to_device(torch.zeros(1))

    def to_device(self, tensor):
        """A tensor on the device, in the layout that it has here; leaves of autograd stay leaves."""
        return tensor.to(self.name)

    def moved(self, value):
        """A value with all its tensors moved to the device."""
        if isinstance(value, self.torch.Tensor):
            return self.to_device(value)
        if isinstance(value, (list, tuple)):
            items = [self.moved(item) for item in value]
            return value._make(items) if hasattr(value, "_make") else type(value)(items)
        return {key: self.moved(item) for key, item in value.items()} if type(value) is dict else value

    def housed(self, value):
        """What a call has given; a module, which begins on the CPU, is moved."""
        return value.to(self.name) if isinstance(value, self.torch.nn.Module) else value

    @contextlib.contextmanager
    def at_work(self):
        """Around a student's call: full precision before it, what it copies to the CPU noticed, all its work done at its end."""
        del self.log[:], noticed[:], broken[:]
        full_precision(self.torch)
        with contextlib.nullcontext() if self.fake else copies(self.torch, self.log):
            yield
            self.synchronize()
        noticed.extend(([how, int(n)] for how, n in self.log))
        broken.extend(lowered(self.torch))
        del self.log[:]

    def synchronize(self):
        """Wait until all work that was begun is done; an error of it shows here."""
        if not self.fake:
            self.torch.cuda.synchronize()

    def repeat(self, target, args, kwargs, times):
        """Call the target so many times, each with a cold cache, and return the last result when all is done; it is timed from outside."""
        result = None
        for _ in range(times):
            self.sweep()
            result = target(*args, **kwargs)
        self.synchronize()
        return result

    def sweep(self):
        """Write a buffer larger than the cache, so that nothing of what was used before is left in it."""
        if self.sweeper is None:
            self.sweeper = self.to_device(self.torch.zeros(2 * self.cache_bytes // 4))
        self.sweeper.add_(1)

    def sweeps(self, times):
        """What `repeat` does between the calls, alone: the grader takes its time off."""
        for _ in range(times):
            self.sweep()
        self.synchronize()

    def empty(self):
        """Give back what the allocator keeps for later, so that a measurement of memory begins with little."""
        if not self.fake:
            self.torch.cuda.synchronize()
            self.torch.cuda.empty_cache()


def full_precision(torch):
    """float32 is multiplied in float32: no TF32, and no sums of half precision in half precision."""
    with contextlib.suppress(Exception):  # PyTorch refuses where its older and its newer settings were mixed
        torch.set_float32_matmul_precision("highest")
    with contextlib.suppress(Exception):
        torch.backends.cuda.matmul.allow_tf32 = False
    with contextlib.suppress(Exception):
        torch.backends.cudnn.allow_tf32 = False
    with contextlib.suppress(Exception):
        torch.backends.cuda.matmul.allow_fp16_reduced_precision_reduction = False
        torch.backends.cuda.matmul.allow_bf16_reduced_precision_reduction = False


def lowered(torch):
    """What a call has left at a lower precision than it found."""
    try:
        return ["TF32"] if torch.get_float32_matmul_precision() != "highest" or torch.backends.cuda.matmul.allow_tf32 else []
    except Exception:  # the settings were mixed, by the student's code
        return ["TF32"]


def copies(torch, log):
    """A dispatch mode that writes down each copy from the device to the CPU; what single numbers are read for their own sake is none."""
    from torch.utils._python_dispatch import TorchDispatchMode

    class Copies(TorchDispatchMode):
        def __torch_dispatch__(self, function, types, args=(), kwargs=None):
            kwargs = kwargs or {}
            n = copied(function._schema.name, args, kwargs)
            if n:
                log.append((function._schema.name, n))
            return function(*args, **kwargs)

    return Copies()


def copied(name, args, kwargs):
    """How many numbers an operator copies from the device to the CPU; 0 where it copies none."""
    if name == "aten::_to_copy":
        place = kwargs.get("device")
        return args[0].numel() if place is not None and place.type == "cpu" and args[0].device.type != "cpu" else 0
    if name in ("aten::copy_", "aten::_copy_from", "aten::_copy_from_and_resize"):
        into, source = (args[0], args[1]) if name == "aten::copy_" else (args[1], args[0])
        return source.numel() if into.device.type == "cpu" and source.device.type != "cpu" else 0
    return 0
