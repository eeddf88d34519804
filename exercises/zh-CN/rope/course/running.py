"""Running stages on a student's functions. Nothing that they do stops a check, save an interrupt by the student."""

import contextlib
import linecache
import warnings
from dataclasses import dataclass

from . import library
from .calls import Missing, Student
from .compare import Difference, difference, rejection
from .outcome import Raised, copied, frozen

LIBRARY = "LibraryAttention"  # the name of the outcome that a call of a library's attention stands for


@dataclass(frozen=True)
class Result:
    """A stage's result. `status`: passed, failed, skipped (a stage it needs did not pass), unwritten or missing (a name).

    `unsettled`: numbers that are wrong were others when the stage was run once more.
    """

    stage: object
    status: str
    outcome: object = None
    call: object = None
    difference: Difference = None
    missing: str = ""
    unsettled: bool = False


def outcome_of(stage, namespace, own_work=False):
    """What a stage ends in, and the last call that it made: (value or Raised, Call or None). Raises Missing for an absent name.

    own_work: a call of a library's attention counts as raising LIBRARY with the function's name, whatever it has given.
    """
    student = Student(namespace)
    with warnings.catch_warnings(), unspoilt(stage.run.__globals__), library.watch() as called:
        warnings.simplefilter("ignore")
        try:
            outcome = frozen(stage.run(student))
        except Missing:
            raise
        except (Exception, SystemExit) as error:
            outcome = raised(error, namespace, stage.part)
    if own_work and called:
        outcome = Raised((LIBRARY,), called[0])
    return outcome, student.calls[-1] if student.calls else None


@contextlib.contextmanager
def unspoilt(names):
    """Inside, copies stand in place of the arrays and tensors among the global names of the public checks. Whoever writes into what a
    check has handed over spoils the copies, and no later check."""
    before = {name: value for name, value in names.items() if not name.startswith("__")}
    names.update({name: copied(value) for name, value in before.items()})
    try:
        yield
    finally:
        names.update(before)


def raised(error, namespace, part):
    """An exception as an outcome, with a line of the student's that it went through: the last in the part's own cell, or else in any."""
    names = tuple(kind.__name__ for kind in type(error).__mro__ if kind is not object)
    own, cell = [], cell_of(namespace.get(part))
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_globals is namespace:
            own.append((trace.tb_frame.f_code.co_filename, trace.tb_lineno))
        trace = trace.tb_next
    file, number = next((place for place in reversed(own) if place[0] == cell), own[-1] if own else ("", None))
    line = linecache.getline(file, number).strip() if own else ""
    try:
        message = str(error)
    except Exception:
        message = ""
    return Raised(names, message, number, line)


def cell_of(made):
    """The file name of the cell in which a function, or the first method of a class, has been written; None for neither."""
    written = [made, *vars(made).values()] if isinstance(made, type) else [made]
    return next((each.__code__.co_filename for each in written if hasattr(each, "__code__")), None)


def judge(stage, expected, outcome):
    """The difference between a stage's expected outcome and another one, or None."""
    if isinstance(outcome, Raised) and outcome.name == LIBRARY:
        return Difference("library", expected, outcome)
    if stage.raises:
        return rejection(expected, outcome, stage.numbers)
    return difference(expected, outcome, stage.returns, stage.first)


def run(stage, expected, namespace, own_work=False):
    """A stage's Result, whatever happened to the stages that it needs."""
    try:
        outcome, call = outcome_of(stage, namespace, own_work)
    except Missing as error:
        return Result(stage, "missing", missing=error.missing)
    if isinstance(outcome, Raised) and outcome.name == "NotImplementedError":
        return Result(stage, "unwritten", outcome, call)
    found = judge(stage, expected, outcome)
    if found is None:
        return Result(stage, "passed", outcome, call)
    return Result(stage, "failed", outcome, call, found, unsettled=found.kind == "values" and _unsettled(found, stage, expected, namespace))


def _unsettled(found, stage, expected, namespace):
    """Whether a stage with wrong numbers gives others, or right ones, when it is run once more: it makes all that it hands over anew."""
    try:
        again = judge(stage, expected, outcome_of(stage, namespace)[0])
    except Missing:
        return False
    return again is None or (again.kind, again.name) != (found.kind, found.name) or difference(found.came, again.came) is not None


def run_all(stages, recorded, namespace):
    """The Results of stages, {name: Result}, none skipped."""
    return {stage.name: run(stage, recorded.expected[stage.name], namespace, recorded.own_work) for stage in stages}


def with_skips(results):
    """Results in order, where what needs a stage that did not pass is marked as skipped."""
    marked = {}
    for name, result in results.items():
        before = marked.get(result.stage.needs)
        blocked = before is not None and before.status != "passed"
        marked[name] = Result(result.stage, "skipped", result.outcome, result.call) if blocked else result
    return list(marked.values())
