"""What came of asking the student's code for something."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Outcome:
    """The result of a call: a value (with the arguments as they were afterwards), or an error, or a missing name."""

    name: str
    value: object = None
    arguments: tuple = ()  # as the call has left them; of gradients, the arguments' gradients
    parameters: dict | None = None  # of gradients, those of the parameters; None where no gradients were asked for
    error: dict | None = None  # {"type", "bases", "message", "line"}
    missing: str | None = None


@dataclass(frozen=True)
class Opaque:
    """A value that stays in the student's process: an object of the student's own, or something that is no array."""

    type_name: str
    id: int


@dataclass(frozen=True)
class Target:
    """What is asked for: the name that a student knows it by, and how the other side finds it."""

    name: str
    address: dict


class StudentTrouble(Exception):
    """The student's code did not give a value. The outcome says why."""

    def __init__(self, outcome):
        super().__init__(outcome.error or outcome.missing)
        self.outcome = outcome


class StudentRaised(StudentTrouble):
    """The student's code raised an exception."""


class StudentMissing(StudentTrouble):
    """The submission does not define the name."""
