"""Two places where functions can be called: a test's process in the sandbox, and, for the course's own variants, this process."""

import warnings

import numpy as np

from autograder.hidden.outcomes import Opaque, Outcome
from autograder.sandbox.child_modules import calls, values, wire

DESCRIBED_BASES = 20
MOST_BYTES = 256 << 20  # that the answers to one test may take in memory
TEXT_COST = 20  # bytes that a byte of JSON may come to: `[],` is a list of its own


class Backend:
    """What both places have in common: how an order is put, how its answer is read, and the record of all outcomes, `trace`.

    `asked` holds what was put, so that another backend can be asked the same; `fed_back` tells whether an answer of several parts has become part of a
    later question, which then is a question to nobody else.
    """

    def __init__(self, framework):
        self.framework, self.trace = framework, []
        self.asked, self.fed_back = [], False
        self.remarks = []  # Messages that the student gets beside a test that was passed
        self.library = []  # the library's attention functions that were called, where the exercise forbids them

    def call(self, target, args, kwargs):
        """Call a function or an object. Arrays come back as arrays, everything unknown as Opaque."""
        return self._ask(target, {"order": "call"}, args, kwargs)

    def gradients(self, target, args, kwargs, cotangents):
        """Call it, and take the gradients of its output, weighted by the cotangents."""
        return self._ask(target, {"order": "gradients"}, args, kwargs, cotangents)

    def kernels(self, target, see, args, kwargs):
        """Call a function that starts Triton kernels, and give what is asked for of them: `see`, as kernels.observed has it."""
        return self._ask(target, {"order": "kernels", "see": see}, args, kwargs)

    def get(self, target):
        """The value of an attribute or a name."""
        return self._ask(target, {"order": "get"})

    def length(self, target):
        """len() of an object."""
        return self._ask(target, {"order": "length"})

    def _ask(self, target, order, args=(), kwargs=None, cotangents=()):
        self.fed_back |= any(outcome.value is value for outcome in self.trace for value in args if isinstance(value, (tuple, list, dict)))
        packer = _OrderPacker(self.framework)
        order |= {
            "target": target.address,
            "args": [packer.pack(value) for value in args],
            "kwargs": {name: packer.pack(value) for name, value in (kwargs or {}).items()},
            "cotangents": [packer.pack(value) for value in cotangents],
        }
        self.asked.append((target.name, order, packer.arrays))
        return self._put(target.name, order, packer.arrays)

    def _put(self, name, order, arrays):
        outcome = self._outcome(name, *self.exchange(order, arrays))
        self.trace.append(outcome)
        return outcome

    def _outcome(self, name, answer, arrays):
        called = answer.get("library", [])
        self.library = [wire.text(where, 100) for where in called[:20]] if isinstance(called, list) else []
        if isinstance(answer.get("missing"), str):
            return Outcome(name, missing=answer["missing"][:200])
        if "error" in answer:
            return Outcome(name, error=_checked_error(answer["error"]))
        value = values.unpack(answer.get("value"), arrays, _stand_in)
        after, parameters = answer.get("args", []), answer.get("parameters")
        if not isinstance(after, list) or not (parameters is None or isinstance(parameters, dict)):
            raise wire.WireError("the arguments or the parameters are of another kind")
        arguments = tuple(values.unpack(node, arrays, _stand_in) for node in after)
        if parameters is not None:
            parameters = {key: values.unpack(node, arrays, _stand_in) for key, node in parameters.items()}
        return Outcome(name, value, arguments, parameters)


def _stand_in(node):
    """What a test sees of a value that stays where it is."""
    if node["kind"] == "setting":
        return wire.text(node.get("text"), 100)
    number = node.get("id")
    return Opaque(wire.text(node.get("type"), 100) or "object", number if type(number) is int else -1)


class RemoteBackend(Backend):
    """Calls go to a test's process in the sandbox."""

    def __init__(self, process, framework):
        super().__init__(framework)
        self.process, self.array_bytes = process, 0

    @property
    def received(self):
        """About how many bytes of memory all that came back may take."""
        return self.array_bytes + TEXT_COST * self.process.text_bytes

    def again(self):
        """The outcome of the last question, put once more. It is no part of the trace."""
        name, order, arrays = self.asked[-1]
        return self._outcome(name, *self.exchange(order, arrays))

    def exchange(self, order, arrays):
        """Send the order and return what came back, if it is not too much."""
        answer, arrays = self.process.ask(order, arrays)
        self.array_bytes += sum(array.nbytes for array in arrays)
        if self.received > MOST_BYTES:
            raise wire.WireError(f"{self.received} bytes came back")
        return answer, arrays


class LocalBackend(Backend):
    """Calls go to a namespace in this process. Only for the course's own solutions, never for a student's."""

    def __init__(self, namespace, framework):
        super().__init__(framework)
        self.namespace, self.kept = namespace, calls.Kept()

    def answer(self, asked):
        """The outcome of what another backend was asked; its arrays are copied, for the code here may write into them."""
        name, order, arrays = asked
        return self._put(name, order, [copied(array) for array in arrays])

    def exchange(self, order, arrays):
        """Carry out the order here, as a test's process would."""
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return calls.perform(order, arrays, self.namespace, self.kept, self.framework)


def copied(array):
    """A copy of an array or a tensor."""
    return array.copy() if isinstance(array, np.ndarray) else array.clone()


class _OrderPacker(values.Packer):
    """Packs the grader's own values; an object of the student's goes back by its number."""

    def __init__(self, framework):
        super().__init__(self._unknown, framework)

    def pack(self, value, depth=0):
        if isinstance(value, Opaque):
            return {"kind": "object", "id": value.id}
        if isinstance(value, values.Named) and isinstance(value.origin, Opaque):
            return {"kind": "tuple", "class": value.origin.id, "items": [self.pack(item, depth + 1) for item in value]}
        node = super().pack(value, depth)
        if isinstance(value, np.ndarray) and not value.flags.c_contiguous:
            node["layout"] = "strided"  # the student gets an array that is not contiguous either
        torch = values.loaded_torch()
        if torch is not None and isinstance(value, torch.Tensor) and not value.is_contiguous():
            node["axes"] = sorted(range(value.ndim), key=lambda axis: -value.stride(axis))  # the order in which they lie in memory
        return node

    @staticmethod
    def _unknown(value):
        raise TypeError(f"a hidden test hands over a {type(value).__name__}, which cannot travel")


def _checked_error(error):
    """A student's error in its expected form, whatever came."""
    error = error if isinstance(error, dict) else {}
    bases = error.get("bases")
    texts = {name: wire.text(error.get(name), 500) for name in ("type", "message", "line", "function")}
    return texts | {"bases": [wire.text(base, 100) for base in bases[:DESCRIBED_BASES]] if isinstance(bases, list) else []}
