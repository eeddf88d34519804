"""What a check's run ends in: a value (an array, a number, a tuple of them …) or an exception; and both as JSON."""

import math
from dataclasses import dataclass

import numpy as np

from .tensors import dtype_of, from_array, is_tensor, numbers_of, precision_of

DIGITS = {"bfloat16": 4, "float16": 5, "float32": 6, "float64": 13}  # fewer than the last, which differ from one processor to another
TINY = 1e-12  # smaller numbers are the rounding errors of a zero
LONGEST = 200  # characters of an exception's message that are kept


@dataclass(frozen=True)
class Raised:
    """An exception: its class's names, the most special first, its message, and the student's line in which it arose."""

    names: tuple
    message: str = ""
    line_number: int = None
    line: str = ""

    @property
    def name(self):
        return self.names[0]


def frozen(value):
    """A value as it is now: arrays and tensors are copied, also those in tuples, lists and dicts."""
    if is_tensor(value):
        return numbers_of(value)
    if isinstance(value, (np.ndarray, np.generic)):
        return np.array(value)
    if isinstance(value, (tuple, list)):
        return (tuple if isinstance(value, tuple) else list)(frozen(item) for item in value)  # a NamedTuple is a tuple
    if type(value) is dict:
        return {key: frozen(item) for key, item in value.items()}
    return value


def copied(value):
    """A value whose arrays and tensors are copies, also those in tuples, lists and dicts; everything else is the same."""
    if is_tensor(value):
        return value.detach().clone().requires_grad_(value.requires_grad)
    if isinstance(value, np.ndarray):
        return value.copy()
    if type(value) in (tuple, list):
        return type(value)(copied(item) for item in value)
    if type(value) is dict:
        return {key: copied(item) for key, item in value.items()}
    return value


def to_json(value):
    """A value or a Raised as JSON: dtypes and shapes explicit; numbers that JSON has no word for as text."""
    if isinstance(value, Raised):
        return {"raises": list(value.names)} | ({"message": value.message[:LONGEST]} if value.message else {})
    if isinstance(value, (np.ndarray, np.generic)):
        array = np.asanyarray(value)
        data = [_number(x, precision_of(array)) for x in array.ravel().tolist()]
        return {"dtype": dtype_of(array), "shape": list(array.shape), "data": data}
    if isinstance(value, (tuple, list)):
        return {type(value).__name__: [to_json(item) for item in value]}
    if isinstance(value, dict):
        return {"dict": {key: to_json(item) for key, item in value.items()}}
    if value is None or isinstance(value, (bool, int, float, str)):
        return {"value": _number(value, "float64")}
    raise TypeError(f"a public check returned {type(value).__name__}, which cannot be recorded")


def from_json(tree):
    """What `to_json` was given, to the digits that it keeps."""
    if "raises" in tree:
        return Raised(tuple(tree["raises"]), tree.get("message", ""))
    if "dtype" in tree:
        data = [float(x) if isinstance(x, str) else x for x in tree["data"]]
        return _array(data, tree["dtype"], tree["shape"])
    if "tuple" in tree:
        return tuple(from_json(item) for item in tree["tuple"])
    if "list" in tree:
        return [from_json(item) for item in tree["list"]]
    if "dict" in tree:
        return {key: from_json(item) for key, item in tree["dict"].items()}
    return tree["value"]


def _array(data, dtype, shape):
    """A NumPy array, or a Tensor where the dtype is one of PyTorch's."""
    name = dtype.removeprefix("torch.")
    array = np.array(data, dtype="float32" if name == "bfloat16" else name).reshape(shape)
    return from_array(array, name) if name != dtype else array


def _number(x, dtype):
    if not isinstance(x, float):
        return x
    if not math.isfinite(x):
        return str(x)
    digits = DIGITS.get(dtype, DIGITS["float64"])
    return 0.0 if abs(x) < TINY else float(f"{x:.{digits}g}")
