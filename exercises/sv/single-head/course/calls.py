"""The student's names as a public check sees them. Every call of a function is written down, so that it can be shown."""

import inspect
from dataclasses import dataclass

import numpy as np


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
        return self._recorded(name, value) if callable(value) and not inspect.isclass(value) else value

    def _recorded(self, name, function):
        def call(*arguments, **named):
            self.calls.append(Call(name, [(label, snapshot(value)) for label, value in labelled(function, arguments, named)]))
            return function(*arguments, **named)

        return call


def labelled(function, arguments, named):
    """The arguments of a call with the names that they have in the function's head; numbered where they don't fit it."""
    try:
        return list(inspect.signature(function).bind(*arguments, **named).arguments.items())
    except (TypeError, ValueError):
        return [(str(i + 1), value) for i, value in enumerate(arguments)] + list(named.items())


def snapshot(value):
    """A copy of an array, which later changes do not reach; other values as they are."""
    return value.copy() if isinstance(value, np.ndarray) else value
