"""Where a result differs from the expected one: in kind, number, shape, dtype or values. The first difference counts."""

import re
from dataclasses import dataclass

import numpy as np

from .outcome import Raised
from .tensors import Tensor, dtype_of, precision_of

# Relative, and absolute where all numbers are small; where they are large, so are the rounding errors of the smallest.
TOLERANCE = {"bfloat16": (2e-2, 1e-3), "float16": (2e-3, 1e-4), "float32": (2e-5, 1e-6), "float64": (1e-11, 1e-12)}


@dataclass(frozen=True)
class Difference:
    """One difference. `kind`: raised, returned, exception, message, nothing, type, count, shape, dtype, values or library.

    `name`: which item of the result ("" for a single one). `where`: for values, a boolean array, True where they differ.
    """

    kind: str
    expected: object
    came: object
    name: str = ""
    where: object = None


def difference(expected, came, returns=(), first="", name=""):
    """The first difference between two outcomes, or None. `returns` and `first` are a Stage's."""
    if isinstance(expected, Raised) or isinstance(came, Raised):
        return _of_exceptions(expected, came)
    if isinstance(expected, np.ndarray):
        return _of_arrays(expected, came, name)
    if isinstance(expected, (tuple, list)):
        return _of_sequences(expected, came, returns, first, name)
    if isinstance(expected, dict):
        return next(filter(None, (difference(expected[key], came[key], name=key) for key in expected)), None)
    if type(came) is not type(expected):
        return Difference("nothing" if came is None else "type", expected, came, name)
    return None if came == expected else Difference("values", expected, came, name)


def rejection(expected, came, numbers):
    """The difference between an exception that is expected, with its numbers, and what came; or None."""
    if not isinstance(came, Raised):
        return Difference("returned", expected, came)
    if expected.name not in came.names:
        return Difference("exception", expected, came)
    message = came.message.replace("−", "-")
    absent = [number for number in numbers if not re.search(rf"(?<![\d.]){re.escape(str(number))}(?![\d.]*\d)", message)]
    return Difference("message", expected, came) if absent else None


def _of_exceptions(expected, came):
    if not isinstance(expected, Raised):
        return Difference("raised", expected, came)
    if not isinstance(came, Raised):
        return Difference("returned", expected, came)
    return None if came.name == expected.name else Difference("exception", expected, came)


def _of_sequences(expected, came, returns, first, name):
    if came is None:
        return Difference("nothing", expected, came, name)
    if type(came) not in (tuple, list):
        return Difference("type", expected, came, name)
    if len(came) != len(expected):
        return Difference("count", expected, came, name)
    names = returns if len(returns) == len(expected) else [f"{name}[{i}]" for i in range(len(expected))]
    items = sorted(zip(names, expected, came), key=lambda item: item[0] != first)
    found = (difference(ours, theirs, name=label) for label, ours, theirs in items)
    return next(filter(None, found), None)


def _of_arrays(expected, came, name):
    if not isinstance(came, np.ndarray) or isinstance(came, Tensor) != isinstance(expected, Tensor):
        return Difference("nothing" if came is None else "type", expected, came, name)
    if came.shape != expected.shape:
        return Difference("shape", expected, came, name)
    if dtype_of(came) != dtype_of(expected):
        return Difference("dtype", expected, came, name)
    where = ~close(expected, came)
    return Difference("values", expected, came, name, where) if where.any() else None


def close(expected, came):
    """Where two arrays of one shape and dtype agree, within the dtype's tolerance; NaN agrees with NaN."""
    if not np.issubdtype(expected.dtype, np.floating):
        return np.asarray(expected == came)
    relative, absolute = TOLERANCE.get(precision_of(expected), TOLERANCE["float64"])
    came, expected = (np.asarray(x, np.float64) for x in (came, expected))
    largest = np.max(np.abs(expected[np.isfinite(expected)]), initial=1.0)
    return np.isclose(came, expected, rtol=relative, atol=absolute * largest, equal_nan=True)
