"""Arrays and calls as text, the way they are shown to a student."""

import numpy as np

from .calls import Shown
from .explain import quoted
from .tensors import dtype_of

SHORT = 24  # characters of an argument that is shown inside the call
MANY = 8  # items of a tuple or list that are shown one by one
LARGE = 500  # numbers of an array from which on its shape says more than they do


def items(name, x, returns=()):
    """A value as the things to show one by one, [(name, value)]: a tuple's items by the names in `returns`."""
    if type(x) in (tuple, list) and 0 < len(x) <= MANY:
        return list(zip(returns if len(returns) == len(x) else [f"[{i}]" for i in range(len(x))], x))
    return list(x.items()) if isinstance(x, dict) else [(name, x)]


def value(x):
    """A value as a student can read it; a long array is cut in its middle."""
    if not isinstance(x, np.ndarray):
        return quoted(safe_repr(x))
    if x.size > LARGE:
        return "…"
    text = np.array2string(np.asarray(x), precision=4, suppress_small=True, separator=", ", threshold=40, edgeitems=3, max_line_width=76)
    return "\n".join(line for line in text.splitlines() if line.strip())


def kind(x):
    """An array's shape and dtype; for another value its type."""
    return f"{x.shape} {dtype_of(x)}" if isinstance(x, np.ndarray) else type(x).__name__


def call(made):
    """A call in a line, below those that were made before with the same objects, and the arguments that need lines of their own:
    (["softmax(x, axis=0)"], [("x", array)])."""
    inside, apart = [], []
    for name, argument in made.arguments:
        text = safe_repr(argument)
        if isinstance(argument, np.ndarray) or len(text) > SHORT and not isinstance(argument, Shown):
            inside.append(name)
            apart.append((name, argument))
        else:
            inside.append(f"{name}={quoted(text)}" if name not in ("", text) else quoted(text))
    return [*made.before, f"{made.function}({', '.join(inside)})"], apart


def safe_repr(x):
    """repr, for objects that may fail at it."""
    try:
        return repr(x)
    except Exception:
        return f"<{type(x).__name__}>"
