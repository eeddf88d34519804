"""The fixture's value: the student's functions under their own names."""

from autograder.hidden.outcomes import StudentMissing, StudentRaised, Target


class Student:
    """`student.attention(q, k, v)` calls the student's function; errors of the student's become StudentRaised."""

    def __init__(self, backend):
        self._backend = backend

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        return Function(self._backend, Target(name, {"name": name}))


class Function:
    """One of the student's functions or classes."""

    def __init__(self, backend, target):
        self.backend, self.target = backend, target

    def __call__(self, *args, **kwargs):
        return self.outcome(*args, **kwargs).value

    def outcome(self, *args, **kwargs):
        """The whole outcome of a call: the value, and the arguments as the call has left them."""
        outcome = self.backend.call(self.target, args, kwargs)
        if outcome.missing:
            raise StudentMissing(outcome)
        if outcome.error:
            raise StudentRaised(outcome)
        return outcome
