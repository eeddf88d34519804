"""A stage: one small public check. A part of an exercise has several, from the simplest case on."""

from dataclasses import dataclass, field

from .language import _


@dataclass(frozen=True)
class Stage:
    """One public check of a part.

    `run(student)` calls the student's functions on fixed inputs and returns what came out of them. `needs` names the stage without
    which this one says nothing. `raises` names the exception that is expected in place of a result, and `numbers` what its
    message has to mention. `returns` names the items of a result that is a tuple, and `first` the one to compare first, since the
    others come of it. `axes` says, by the name of a result ("" for a single one), what its rows and columns are. `telling`: the kind
    of exception that comes here says which mistake it is; elsewhere an exception alone is no evidence.
    """

    part: str
    run: object
    needs: str = None
    raises: str = None
    numbers: tuple = ()
    returns: tuple = ()
    first: str = ""
    axes: dict = field(default_factory=dict)
    telling: bool = False

    @property
    def name(self):
        return self.run.__name__

    @property
    def text(self):
        """The sentence that the student reads, in English: the docstring in one line."""
        return " ".join(self.run.__doc__.split())

    @property
    def title(self):
        """The sentence in the student's language."""
        return _(self.text)


def stage(part, **fields):
    """Make a function a stage of a part."""
    return lambda function: Stage(part, function, **fields)


def stages(module):
    """The stages of a module of public checks, in the order in which they stand there."""
    return [value for value in vars(module).values() if isinstance(value, Stage)]
