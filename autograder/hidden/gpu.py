"""The fixture `gpu`: the student's functions on a GPU, called with tensors of the CPU and giving tensors of the CPU.

`gpu.attention(q, k, v)` moves the tensors to the device, calls the student's function there, and brings the result back. Wrong is raised where
a result was not on the device, where numbers were copied to the CPU on the way, and where a call has switched on TF32. Modules move when they are
made; what takes a device by name gets `device="cuda"`. Gradients and all else as with `student`. Besides, for functions alone:
    memory_of(gpu.attention, q, k, v)      → (result, the most bytes of the device's memory that the call has taken, seen from outside)
    seconds_of(gpu.attention, q, k, v)     → (last result, seconds a call, seen from outside, with a cold cache)
    compare_speed(gpu.attention, q, k, v)  → (last result, its time as a multiple of that of PyTorch's own attention), noted in the result
"""

import time

from autograder.hidden.backends import RemoteBackend
from autograder.hidden.judge import Wrong
from autograder.hidden.outcomes import Opaque, Target
from autograder.hidden.student import Student, _checked
from autograder.messages import message

MAY_COPY = 1024  # numbers: a few lengths or positions may be looked at on the CPU
CALLS, MOST_CALLS = 20, 2000  # that are timed together
ENOUGH_S = 0.05  # in which the noise of one measurement is little
LIBRARY = """
import torch
def library_attention(q, k, v, is_causal=False):
    return torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=is_causal)
"""
LIBRARY_TARGET = Target("library_attention", {"name": "library_attention"})


class Gpu(Student):
    """The fixture's value. All that tests need of the device is reached by the functions below."""


class GpuBackend(RemoteBackend):
    """Calls go to a test's process that has the GPU.

    meter: sees the device's memory. library: () → a GpuBackend for PyTorch's own attention, in a process of the grader's.
    """

    def __init__(self, process, framework, device, meter, library=None):
        super().__init__(process, framework)
        self.device, self.meter, self.library_backend = device, meter, library
        self.measured = {}  # numbers for the result: {"seconds": …}

    def measure(self, target, args, kwargs):
        """A call whose memory is looked at: (outcome, bytes)."""
        self.meter.begin()
        outcome = self._ask(target, {"order": "measured"}, args, kwargs)
        return outcome, self.meter.taken()

    def seconds(self, target, args, kwargs):
        """(outcome of the last call, seconds a call): from outside, so that all that is between the calls, and the first one's extra, drops out."""
        prepared = _checked(self._ask(target, {"order": "prepare"}, args, kwargs)).value
        call = Target(target.name, {"id": prepared.id if isinstance(prepared, Opaque) else -1})
        self._timed(call, "repeat", 2)  # kernels are compiled and loaded, the cache's buffer is made
        calls = CALLS
        while True:
            seconds, between = (self._difference(call, order, calls) for order in ("repeat", "sweeps"))
            if seconds - between >= ENOUGH_S or calls >= MOST_CALLS:
                return _checked(self._ask(call, {"order": "result"})), max(seconds - between, 0.0) / calls
            calls *= 10

    def _difference(self, call, order, calls):
        """What so many times take longer than none: one, and so many more. The least of a few each, for what disturbs makes it longer."""
        once, often = (min(self._timed(call, order, times) for _ in range(3)) for times in (1, 1 + calls))
        return often - once

    def _timed(self, call, order, times):
        begun = time.perf_counter()
        _checked(self._ask(call, {"order": order, "times": times}))
        return time.perf_counter() - begun

    def _outcome(self, name, answer, arrays):
        outcome = super()._outcome(name, answer, arrays)
        if not self.library:  # that says more
            self._check(name, answer)
        return outcome

    def _check(self, name, answer):
        """Raise Wrong where something was done elsewhere than on the device."""
        copied = sum(n for _, n in pairs(answer.get("copied")))
        if copied > MAY_COPY:
            raise Wrong(message("`{name}` has copied {n} numbers from the GPU to the CPU. All of its work has to be done on the device that its input is on.",
                                name=name, n=copied))
        if answer.get("lowered"):
            raise Wrong(message("`{name}` has switched on TF32, which keeps 10 of float32's 23 bits of fraction.", name=name))
        elsewhere = [where for where in places([answer.get(key) for key in self._results(answer)]) if where != self.device]
        if elsewhere:
            raise Wrong(message("The result of `{name}` should be on the device of its input, {expected}, and it is on {got}.",
                                name=name, expected=self.device, got=elsewhere[0]))

    @staticmethod
    def _results(answer):
        """What of an answer has to be on the device: the value, and of gradients all of them. A call's arguments come from here."""
        return ("value", "args", "parameters") if "parameters" in answer else ("value",)


def pairs(value):
    """[[what, how many], …] as it should have come; nothing else."""
    return [one for one in value if isinstance(one, list) and len(one) == 2 and type(one[1]) is int] if isinstance(value, list) else []


def places(node):
    """The kinds of device, "cpu" or "cuda", that the tensors of a node were on."""
    if isinstance(node, list):
        return [place for item in node for place in places(item)]
    if not isinstance(node, dict):
        return []
    if node.get("kind") == "tensor":
        return [str(node.get("device", "cpu")).partition(":")[0][:20]]
    items = node.get("items", []) if "kind" in node else node  # without a kind it is a dictionary of nodes, such as the parameters
    return places(list(items.values()) if isinstance(items, dict) else items)


def memory_of(function, *args, **kwargs):
    """(the result, the most bytes that the call has taken of the device's memory, its inputs included)."""
    outcome, taken = function._backend.measure(function._target, args, kwargs)
    return _checked(outcome).value, taken


def seconds_of(function, *args, **kwargs):
    """(the last result, the seconds that a call takes)."""
    outcome, seconds = function._backend.seconds(function._target, args, kwargs)
    return outcome.value, seconds


def longest_length(gpu):
    """A length T at which T × T bytes are more than the device has, so that not even a mask of that shape fits."""
    return int(1.05 * gpu._backend.meter.gpu.total_bytes ** 0.5) // 100 * 100


def expect_linear(gpu, taken):
    """Raise Wrong where the memory that was taken, {length: bytes} of two lengths, is more than what grows with the length alone.

    The bound is a quarter of the device's memory, and for the second length twice what the first has taken, and a little.
    """
    (shorter, of_shorter), (longer, of_longer) = sorted(taken.items())
    device = gpu._backend.meter.gpu
    most = min(device.total_bytes // 4, longer * of_shorter // shorter + device.total_bytes // 16)
    if of_longer > most:
        raise Wrong(message("With {n} tokens it took {got} MB of the GPU's memory, and {most} MB are enough.", n=longer, got=of_longer >> 20, most=most >> 20))


def compare_speed(function, q, k, v, is_causal=False):
    """(the last result, the time of a call as a multiple of PyTorch's own attention in the same run, or None where that is too short to be timed).

    It goes into the result as a remark.
    """
    backend = function._backend
    value, seconds = seconds_of(function, q, k, v, is_causal)
    with backend.library_backend() as library:
        _, of_library = library.seconds(LIBRARY_TARGET, (q, k, v, is_causal), {})
    if not of_library:
        return value, None  # too short for this machine's clock
    ratio = seconds / of_library
    shape = " × ".join(map(str, q.shape))
    kind = str(q.dtype).removeprefix("torch.")
    backend.measured[f"{shape}, {kind}{', causal' if is_causal else ''}"] = {"seconds": seconds, "library_seconds": of_library, "ratio": round(ratio, 3)}
    backend.remarks.append(message("Shape {shape}, {dtype}: {time} ms, {ratio} times as long as PyTorch's own attention took in the same run.",
                                   shape=shape, dtype=kind, time=f"{1e3 * seconds:.3g}", ratio=f"{ratio:.2g}"))
    return value, ratio
