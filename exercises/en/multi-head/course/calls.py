"""The student's names as a public check sees them. Every call of a function is written down, so that it can be shown."""

import inspect
from dataclasses import dataclass

import numpy as np

from .outcome import frozen
from .tensors import is_tensor


class Missing(Exception):
    """The student's notebook has no such name (yet)."""

    def __init__(self, name):
        super().__init__(name)
        self.missing = name


@dataclass(frozen=True)
class Call:
    """One call: the function's name and its arguments as they were before it, [(name, value)]."""

    function: str
    arguments: list


class Student:
    """Attribute access to the names in a namespace; `calls` holds the calls made through it."""

    def __init__(self, namespace):
        self._namespace = namespace
        self.calls = []

    def __getattr__(self, name):
        if name not in self._namespace:
            raise Missing(name)
        value = self._namespace[name]
        return recorded(name, value, self.calls) if callable(value) else value


class Made:
    """An object of a student's class. Calls of it and of its methods are written down, as `MultiHeadAttention(8, 2)(x)`; `made` is the object itself."""

    def __init__(self, made, text, calls):
        self.made, self._text, self._calls = made, text, calls

    def __call__(self, *arguments, **named):
        return recorded(self._text, self.made, self._calls)(*arguments, **named)

    def __getattr__(self, name):
        value = getattr(self.made, name)
        return recorded(f"{self._text}.{name}", value, self._calls) if inspect.ismethod(value) else value

    def __len__(self):
        return len(self.made)

    def __repr__(self):
        return self._text


def recorded(name, function, calls):
    """The function, or the class, so that its calls are written down in `calls`; what a class makes is a Made."""

    def call(*arguments, **named):
        shown = [(label, snapshot(value)) for label, value in labelled(function, arguments, named)]
        calls.append(Call(name, shown))
        result = function(*map(bare, arguments), **{label: bare(value) for label, value in named.items()})
        return Made(result, f"{name}({', '.join(map(repr, arguments))})", calls) if inspect.isclass(function) else result

    return call


def bare(value):
    """The object itself in place of a Made."""
    return value.made if isinstance(value, Made) else value


def labelled(function, arguments, named):
    """The arguments of a call with the names that they have in the function's head; numbered where they don't fit it."""
    try:
        head = inspect.signature(getattr(function, "forward", function))  # of a module, what its call is handed on to
        return list(head.bind(*arguments, **named).arguments.items())
    except (TypeError, ValueError):
        return [(str(i + 1), value) for i, value in enumerate(arguments)] + list(named.items())


def snapshot(value):
    """A copy of an array or tensor, which later changes do not reach; other values as they are."""
    return frozen(value) if isinstance(value, np.ndarray) or is_tensor(value) else value
