"""Two places where functions can be called: a test's process in the sandbox, and, for the course's own variants, this process."""

import warnings

import numpy as np

from autograder.hidden.outcomes import Opaque, Outcome
from autograder.sandbox.child_modules import values, wire

DESCRIBED_BASES = 20


class Backend:
    """What both places have in common: the outcomes are recorded in `trace`, and troubles are raised by the student fixture."""

    def __init__(self):
        self.trace = []

    def record(self, outcome):
        self.trace.append(outcome)
        return outcome


class RemoteBackend(Backend):
    """Calls go to a test's process in the sandbox."""

    def __init__(self, process, framework):
        super().__init__()
        self.process, self.framework = process, framework

    def call(self, target, args, kwargs):
        """Call a function. Arrays come back as arrays, everything unknown as Opaque."""
        packer = _OrderPacker(self.framework)
        order = {
            "order": "call",
            "target": target.address,
            "args": [packer.pack(value) for value in args],
            "kwargs": {name: packer.pack(value) for name, value in kwargs.items()},
            "return_args": True,
        }
        return self._ask(target, order, packer.arrays)

    def get(self, target):
        """The value of an attribute or a name."""
        return self._ask(target, {"order": "get", "target": target.address}, [])

    def _ask(self, target, order, arrays):
        answer, arrays = self.process.ask(order, arrays)
        if isinstance(answer.get("missing"), str):
            return self.record(Outcome(target.name, missing=answer["missing"][:200]))
        if "error" in answer:
            return self.record(Outcome(target.name, error=_checked_error(answer["error"])))
        value = values.unpack(answer.get("value"), arrays, self._stays_there)
        after = answer.get("args", [])
        if not isinstance(after, list):
            raise wire.WireError("the arguments are no list")
        return self.record(Outcome(target.name, value, tuple(values.unpack(node, arrays, self._stays_there) for node in after)))

    def _stays_there(self, node):
        if node["kind"] == "setting":
            return str(node.get("text", ""))[:100]
        number = node.get("id")
        return Opaque(str(node.get("type", "object"))[:100], number if type(number) is int else -1, self)


class _OrderPacker(values.Packer):
    """Packs the grader's own values; an object of the student's goes back by its number."""

    def __init__(self, framework):
        super().__init__(self._unknown, framework)

    def pack(self, value, depth=0):
        if isinstance(value, Opaque):
            return {"kind": "object", "id": value.id}
        node = super().pack(value, depth)
        if isinstance(value, np.ndarray) and not value.flags.c_contiguous:
            node["layout"] = "strided"  # the student gets an array that is not contiguous either
        return node

    @staticmethod
    def _unknown(value):
        raise TypeError(f"a hidden test hands over a {type(value).__name__}, which cannot travel")


def _checked_error(error):
    """A student's error in its expected form, whatever came."""
    error = error if isinstance(error, dict) else {}
    bases = error.get("bases")
    texts = {name: str(error.get(name, ""))[:500] for name in ("type", "message", "line")}
    return texts | {"bases": [str(base)[:100] for base in bases[:DESCRIBED_BASES]] if isinstance(bases, list) else []}


class LocalBackend(Backend):
    """Calls go to a namespace in this process. Only for the course's own solutions, never for a student's."""

    def __init__(self, namespace):
        super().__init__()
        self.namespace, self.kept = namespace, {}

    def call(self, target, args, kwargs):
        """Call a function on copies of the arguments."""
        copies = tuple(self._own_copy(value) for value in args)
        keywords = {name: self._own_copy(value) for name, value in kwargs.items()}
        try:
            with np.errstate(all="ignore"), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                value = self._find(target)(*copies, **keywords)
        except Exception as error:
            bases = [base.__name__ for base in type(error).__mro__]
            return self.record(Outcome(target.name, error={"type": bases[0], "bases": bases, "message": str(error), "line": ""}))
        return self.record(Outcome(target.name, self._stand_in(value), copies))

    def get(self, target):
        return self.record(Outcome(target.name, self._stand_in(self._find(target))))

    def _find(self, target):
        value = self.namespace[target.address["name"]] if "name" in target.address else self.kept[target.address["id"]]
        for attribute in target.address.get("path", ()):
            value = getattr(value, attribute)
        return value

    def _stand_in(self, value):
        """What a test would see of a value that came from the sandbox."""
        packer = values.Packer(self._keep, "torch" if values.loaded_torch() else "numpy")
        node = packer.pack(value)
        return values.unpack(node, packer.arrays, lambda node: Opaque(node.get("type", ""), node.get("id", -1), self))

    def _keep(self, value):
        self.kept[len(self.kept)] = value
        return len(self.kept) - 1

    def _own_copy(self, value):
        if isinstance(value, Opaque):
            return self.kept[value.id]
        if isinstance(value, np.ndarray):
            return value.copy()
        return value.clone() if hasattr(value, "clone") else value
