"""Judging a result: against a reference in float64, with a tolerance that comes from what the input's precision costs."""

import contextlib
import re

import numpy as np

from autograder.hidden.outcomes import Opaque, StudentRaised
from autograder.messages import message, messages, quoted

SHIFT = 0.3  # adding and subtracting it shows what one rounding of the result's dtype costs
FLOOR = 16  # units in the last place that an unusual order of summation may cost beyond that


class Wrong(AssertionError):
    """The student's result is not right. `message` says so to the student."""

    def __init__(self, message):
        super().__init__(str(message))
        self.message = message


def expect(got, want, low=None, dtype=None, name="output", magnitude=1.0):
    """Raise Wrong unless `got` is an array with the shape, the dtype and the numbers of `want`.

    want: the right numbers, in float64. low: the same computed in the input's precision by the reference; the tolerance is
    twice its error plus twice one rounding (Dao's test rule), and never under FLOOR units in the last place.
    magnitude: the largest number that went into an exponential; rounding it costs a relative error of that many units.
    dtype: what the result has to have; that of `low` or else of `want`. Every element is compared; none may be NaN or infinite.
    """
    want = np.asarray(want)
    dtype = np.dtype(dtype if dtype is not None else (want if low is None else low).dtype)
    expect_array(got, want.shape, dtype, name)
    if dtype == np.bool_:
        differs = got != want
    else:
        expect_finite(got, name)
        differs = np.abs(got.astype(np.float64) - want) > tolerance(want, low, dtype, magnitude)
    if differs.any():
        raise Wrong(describe_difference(got, want, differs, name))


def tolerance(want, low, dtype, magnitude=1.0):
    """The largest absolute error that is let pass."""
    if want.size == 0 or not np.issubdtype(dtype, np.floating):
        return 0.0
    shift = np.asarray(SHIFT, dtype)
    rounded = ((want.astype(dtype) + shift) - shift).astype(np.float64)
    of_low = 0.0 if low is None else np.max(np.abs(np.asarray(low, np.float64) - want))
    return 2 * of_low + 2 * np.max(np.abs(rounded - want)) + FLOOR * max(1.0, magnitude) * float(np.finfo(dtype).eps) * np.max(np.abs(want))


def expect_array(got, shape, dtype, name):
    """Raise Wrong unless `got` is a NumPy array of that shape and dtype. A NumPy scalar counts as an array without axes."""
    if not isinstance(got, (np.ndarray, np.generic)):
        raise Wrong(message("{name} should be a NumPy array, and it is {type}.", name=name, type=kind_of(got)))
    if got.shape != shape:
        raise Wrong(message("{name} should have shape {expected}, and it has {got}.", name=name, expected=str(shape), got=str(got.shape)))
    if got.dtype != dtype:
        raise Wrong(message("{name} should have dtype {expected}, and it has {got}.", name=name, expected=str(dtype), got=str(got.dtype)))


def expect_finite(got, name):
    """Raise Wrong where a NaN or an infinity is in it."""
    bad = int(np.count_nonzero(~np.isfinite(got)))
    if bad:
        raise Wrong(messages("{name} holds {n} number that is NaN or infinite.", "{name} holds {n} numbers that are NaN or infinite.", bad, name=name))


def expect_pair(got, name):
    """The two members of a returned pair; raises Wrong where something else came."""
    if not isinstance(got, (tuple, list)) or len(got) != 2:
        raise Wrong(message("`{name}` should return a pair, and it returned {type}.", name=name, type=kind_of(got)))
    return got


def expect_unchanged(outcome, *before):
    """Raise Wrong unless the call has left its arguments as they were."""
    for position, (then, now) in enumerate(zip(before, outcome.arguments), start=1):
        if not (isinstance(now, np.ndarray) and now.shape == then.shape and np.array_equal(now, then, equal_nan=True)):
            raise Wrong(message("`{name}` has changed its argument number {position}.", name=outcome.name, position=position))


@contextlib.contextmanager
def fails(error, *mentioned):
    """The block has to raise this error in the student's code, and its message has to mention these numbers."""
    try:
        yield
    except StudentRaised as raised:
        got = raised.outcome.error
        if error not in got["bases"]:
            what = f"{got['type']}: {quoted(got['message'])}"
            raise Wrong(message("`{name}` should raise {expected} here, and it raised {got}.", name=raised.outcome.name, expected=error, got=what)) from None
        absent = [str(number) for number in mentioned if not re.search(rf"(?<!\d){number}(?!\d)", got["message"])]
        if absent:
            raise Wrong(message("The {error} should name the numbers that disagree; {absent} is missing from: {text}",
                                error=error, absent=", ".join(absent), text=quoted(got["message"]))) from None
        return
    raise Wrong(message("This call should raise {expected}, and it returned a result.", expected=error))


def describe_difference(got, want, differs, name):
    """What differs, and the largest difference."""
    size = np.where(differs, np.abs(got.astype(np.float64) - want.astype(np.float64)), -1)
    worst = np.unravel_index(np.argmax(size), size.shape)
    return messages(
        "{name}: {n} element of {total} differs; at {place} {expected} was expected, and {got} came.",
        "{name}: {n} elements of {total} differ; the largest difference is at {place}: {expected} was expected, and {got} came.",
        int(differs.sum()),
        name=name, total=got.size, place=str([int(i) for i in worst]), expected=number(want[worst]), got=number(got[worst]),
    )


def number(x):
    """A number as it is shown: four significant digits, True and False as they are."""
    return str(bool(x)) if np.asarray(x).dtype == np.bool_ else f"{float(x):.4g}"


def kind_of(value):
    """A value's kind in the words of Python."""
    return value.type_name if isinstance(value, Opaque) else type(value).__name__
