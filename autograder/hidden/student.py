"""The fixture's value: the student's functions, classes and objects under their own names."""

from autograder.hidden.outcomes import Opaque, StudentMissing, StudentRaised, Target


class Student:
    """`student.attention(q, k, v)` calls the student's function; errors of the student's become StudentRaised.

    What a call returns is arrays, numbers and texts as they are, and a Reference for everything else: `cache = student.KVCache(…)`,
    `cache.append(k, v)`, `len(cache)`, `module.w_q.weight.get()`, `module.gradients([cotangent], x)`.
    """

    def __init__(self, backend):
        self._backend = backend

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        return Reference(self._backend, Target(name, {"name": name}))


class Reference:
    """Something in the student's process: a function, a class, an object, or an attribute of one."""

    def __init__(self, backend, target):
        self._backend, self._target = backend, target

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        address = self._target.address
        return Reference(self._backend, Target(name, address | {"path": [*address.get("path", ()), name]}))

    def __call__(self, *args, **kwargs):
        """The result of calling it."""
        return self._seen(self.outcome(*args, **kwargs))

    def outcome(self, *args, **kwargs):
        """The whole outcome of a call: the value, and the arguments as the call has left them."""
        return _checked(self._backend.call(self._target, [_sent(value) for value in args], {name: _sent(value) for name, value in kwargs.items()}))

    def gradients(self, cotangents, *args, **kwargs):
        """The outcome of a call with the gradients of Σ output · cotangent: `arguments` and, of a module, `parameters`."""
        keywords = {name: _sent(value) for name, value in kwargs.items()}
        return _checked(self._backend.gradients(self._target, [_sent(value) for value in args], keywords, cotangents))

    def kernels(self, what, *args, **see):
        """The outcome of a call that starts Triton kernels, whose value is what is asked for: see kernels.observed in the sandbox's child."""
        return _checked(self._backend.kernels(self._target, {"what": what, **see}, [_sent(value) for value in args], {}))

    def get(self):
        """The value itself, where it is an array, a number or a text."""
        return self._seen(_checked(self._backend.get(self._target)))

    def __len__(self):
        length = _checked(self._backend.length(self._target)).value
        return length if type(length) is int and length >= 0 else 0

    def _seen(self, outcome):
        """The value of an outcome as a test uses it: what has stayed behind becomes a Reference."""
        value = outcome.value
        return Reference(self._backend, Target(value.type_name, {"id": value.id})) if isinstance(value, Opaque) else value

    @property
    def _opaque(self):
        return Opaque(self._target.name, self._target.address.get("id", -1))


def _sent(value):
    """An argument as a backend takes it: a Reference goes back as the object that it stands for."""
    return value._opaque if isinstance(value, Reference) else value


def _checked(outcome):
    """The outcome, unless the student's code gave none: then StudentMissing or StudentRaised."""
    if outcome.missing:
        raise StudentMissing(outcome)
    if outcome.error:
        raise StudentRaised(outcome)
    return outcome
