"""Running stages on a student's functions. Nothing that they do stops a check, save an interrupt by the student."""

import linecache
import warnings
from dataclasses import dataclass

from .calls import Missing, Student
from .compare import Difference, difference, rejection
from .outcome import Raised, frozen


@dataclass(frozen=True)
class Result:
    """A stage's result. `status`: passed, failed, skipped (a stage it needs did not pass), unwritten or missing (a name)."""

    stage: object
    status: str
    outcome: object = None
    call: object = None
    difference: Difference = None
    missing: str = ""


def outcome_of(stage, namespace):
    """What a stage ends in, and the last call that it made: (value or Raised, Call or None). Raises Missing for an absent name."""
    student = Student(namespace)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            outcome = frozen(stage.run(student))
        except Missing:
            raise
        except (Exception, SystemExit) as error:
            outcome = raised(error, namespace)
    return outcome, student.calls[-1] if student.calls else None


def raised(error, namespace):
    """An exception as an outcome, with the last line of the student's own code that it went through."""
    names = tuple(kind.__name__ for kind in type(error).__mro__ if kind is not object)
    number, line = None, ""
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_globals is namespace:
            number = trace.tb_lineno
            line = linecache.getline(trace.tb_frame.f_code.co_filename, number).strip()
        trace = trace.tb_next
    try:
        message = str(error)
    except Exception:
        message = ""
    return Raised(names, message, number, line)


def judge(stage, expected, outcome):
    """The difference between a stage's expected outcome and another one, or None."""
    if stage.raises:
        return rejection(expected, outcome, stage.numbers)
    return difference(expected, outcome, stage.returns, stage.first)


def run(stage, expected, namespace):
    """A stage's Result, whatever happened to the stages that it needs."""
    try:
        outcome, call = outcome_of(stage, namespace)
    except Missing as error:
        return Result(stage, "missing", missing=error.missing)
    if isinstance(outcome, Raised) and outcome.name == "NotImplementedError":
        return Result(stage, "unwritten", outcome, call)
    found = judge(stage, expected, outcome)
    return Result(stage, "failed" if found else "passed", outcome, call, found)


def run_all(stages, recorded, namespace):
    """The Results of stages, {name: Result}, none skipped."""
    return {stage.name: run(stage, recorded.expected[stage.name], namespace) for stage in stages}


def with_skips(results):
    """Results in order, where what needs a stage that did not pass is marked as skipped."""
    marked = {}
    for name, result in results.items():
        before = marked.get(result.stage.needs)
        blocked = before is not None and before.status != "passed"
        marked[name] = Result(result.stage, "skipped", result.outcome, result.call) if blocked else result
    return list(marked.values())
