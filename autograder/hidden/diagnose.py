"""Finding the likely reason: run the catalogue's wrong solutions on the same inputs, and see which one gives the student's answers."""

import functools

import numpy as np

from autograder.hidden.backends import LocalBackend
from autograder.hidden.outcomes import Opaque
from autograder.hidden.student import Student

CLOSE = 1e-3  # relative to the largest number: the student's order of summation may differ


def misconception(hidden, test, trace, seed):
    """The name of the first wrong solution, among those that the test is there to catch, which answers as the student's does. Or None."""
    if not trace:
        return None
    right = trace_of(hidden, test, hidden.assignment, None, seed)
    for name in test.catches:
        wrong = trace_of(hidden, test, hidden.assignment, name, seed)
        if same_answers(trace, wrong, right):
            return name
    return None


def trace_of(hidden, test, assignment, name, seed):
    """The outcomes that a variant of the catalogue gives in the test, or the reference's (name None)."""
    backend = LocalBackend(namespace_of(assignment, name))
    hidden.run(test, Student(backend), seed)
    return backend.trace


@functools.lru_cache(maxsize=256)
def namespace_of(assignment, name):
    """The names of a variant, or of the reference."""
    if name is not None:
        return assignment.wrong[name].namespace()
    namespace = {"__name__": "reference"}
    exec(compile(assignment.solution_source, assignment.solution, "exec"), namespace)
    return namespace


def same_answers(student, wrong, right):
    """Whether a student's trace is the wrong solution's, as far as it goes, and that is not the right one's."""
    if len(wrong) < len(student) or len(right) < len(student):
        return False
    told_apart = [not same_outcome(w, r, strict=True) for w, r in zip(wrong, right[: len(student)])]
    if not told_apart[-1]:  # the last call is the one that the test stopped at
        return False
    last_values_differ = not same_outcome(wrong[len(student) - 1], right[len(student) - 1], strict=False)
    pairs = list(zip(student, wrong))
    return all(same_outcome(s, w, strict=False) for s, w in pairs) and (last_values_differ or same_outcome(*pairs[-1], strict=True))


def same_outcome(a, b, strict):
    """Whether two outcomes agree: the same numbers, the same kind of error. strict: the same dtypes and arguments afterwards, too."""
    if a.error or b.error:
        return bool(a.error and b.error) and a.error["type"] == b.error["type"]
    if a.missing or b.missing:
        return a.missing == b.missing
    return same_value(a.value, b.value, strict) and (not strict or same_value(a.arguments, b.arguments, strict))


def same_value(a, b, strict):
    """Whether two values agree to about three digits; NaN agrees with NaN."""
    if isinstance(a, (tuple, list)) and isinstance(b, (tuple, list)):
        return len(a) == len(b) and all(same_value(x, y, strict) for x, y in zip(a, b))
    if is_array(a) and is_array(b):
        return same_array(a, b, strict)
    if isinstance(a, Opaque) and isinstance(b, Opaque):
        return a.type_name == b.type_name
    return type(a) is type(b) and a == b


def is_array(value):
    return hasattr(value, "shape") and hasattr(value, "dtype")


def same_array(a, b, strict):
    if tuple(a.shape) != tuple(b.shape) or (strict and str(a.dtype) != str(b.dtype)):
        return False
    a, b = (np.asarray(x, dtype=np.float64) for x in (a, b))
    if not (np.isnan(a) == np.isnan(b)).all() or not (np.isposinf(a) == np.isposinf(b)).all() or not (np.isneginf(a) == np.isneginf(b)).all():
        return False
    finite = np.isfinite(a)
    scale = np.max(np.abs(b[finite]), initial=0.0)
    return bool(np.all(np.abs(a[finite] - b[finite]) <= CLOSE * scale))
