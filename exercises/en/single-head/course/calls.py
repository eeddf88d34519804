"""The student's names as a public check sees them. Every call of a function is written down, so that it can be shown."""

import inspect
import re
from dataclasses import dataclass, field

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
    """One call: the function's name, its arguments as they were before it, [(name, value)], and what was done before with the objects in it."""

    function: str
    arguments: list
    before: list = field(default_factory=list)


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
    """An object of a student's class; `made` is the object itself. Calls of it and of its methods are written down, and its past with
    them: an object that nothing has been done with yet is shown as it was made, `KVCache(2, 1, 5, 2)`, another one by a name."""

    def __init__(self, made, text, calls):
        self.made, self.past, self._text, self._calls = made, [], text, calls

    def __call__(self, *arguments, **named):
        return self._recorded("", self.made)(*arguments, **named)

    def __getattr__(self, name):
        value = getattr(self.made, name)
        return self._recorded(f".{name}", value) if inspect.ismethod(value) else value

    def __len__(self):
        self._calls.append(Call("len", [("", Shown(repr(self)))], history([self])))
        return len(self.made)

    def __repr__(self):
        return self.name if self.past else self._text

    @property
    def name(self):
        """`module`, or the last word of the class's name, such as `cache`."""
        return "module" if hasattr(self.made, "forward") else re.findall("[A-Z]?[a-z]*", type(self.made).__name__)[-2].lower() or "made"

    @property
    def beginning(self):
        """The line that makes it."""
        return f"{self.name} = {self._text}"

    def _recorded(self, name, method):
        """The method so that its calls are written down, and afterwards belong to the past of the object and of those among the arguments."""

        def call(*arguments, **named):
            done = f"{self.name}{name}({_earlier(labelled(method, arguments, named))}"
            try:
                return recorded(f"{self!r}{name}", method, self._calls, [self])(*arguments, **named)
            finally:
                for each in made_among([self, *arguments, *named.values()]):
                    each.past.append(done)

        return call


def _earlier(pairs):
    """The arguments of an earlier call, the closing bracket, and the shapes of tensors and arrays: `k, v)   # k (2, 1, 2, 2), v (2, 1, 2, 2)`."""
    shaped = {label: tuple(value.shape) for label, value in pairs if not isinstance(value, Made) and hasattr(value, "shape")}
    words = ", ".join(value.name if isinstance(value, Made) else label if label in shaped else repr(value) for label, value in pairs)
    return f"{words})" + (f"   # {', '.join(f'{label} {shape}' for label, shape in shaped.items())}" if shaped else "")


def made_among(values):
    """The objects of student's classes among some values."""
    return [value for value in values if isinstance(value, Made)]


def history(objects):
    """What has been done with some objects, a line each, above it how they were made; objects with which nothing has been done are left out."""
    used = [each for each in objects if each.past]
    steps = {id(step): step for each in used for step in each.past}  # a call in which two of them took part stands in both pasts
    return [*(each.beginning for each in used), *steps.values()]


def recorded(name, function, calls, objects=()):
    """The function, or the class, so that its calls are written down in `calls`; what a class makes is a Made."""

    def call(*arguments, **named):
        shown = [(label, snapshot(value)) for label, value in labelled(function, arguments, named)]
        before = history([*objects, *made_among([*arguments, *named.values()])])
        calls.append(Call(name, shown, before))
        result = function(*map(bare, arguments), **{label: bare(value) for label, value in named.items()})
        return Made(result, f"{name}({', '.join(map(repr, arguments))})", calls) if inspect.isclass(function) else result

    return call


@dataclass(frozen=True)
class Shown:
    """A student's object as it looked at a call."""

    text: str

    def __repr__(self):
        return self.text


def bare(value):
    """The object itself in place of a Made."""
    return value.made if isinstance(value, Made) else value


def labelled(function, arguments, named):
    """The arguments of a call with the names that they have in the function's head; numbered where they don't fit it."""
    try:
        made = not inspect.isclass(function)
        head = inspect.signature(getattr(function, "forward", function) if made else function)  # of a module, what its call is handed on to
        if any(each.kind is each.VAR_POSITIONAL for each in head.parameters.values()):
            return [("", value) for value in arguments] + list(named.items())
        return list(head.bind(*arguments, **named).arguments.items())
    except (TypeError, ValueError):
        return [(str(i + 1), value) for i, value in enumerate(arguments)] + list(named.items())


def snapshot(value):
    """A copy of an array or tensor, and the looks of a student's object, which later changes do not reach; other values as they are."""
    if isinstance(value, Made):
        return Shown(repr(value))
    return frozen(value) if isinstance(value, np.ndarray) or is_tensor(value) else value
