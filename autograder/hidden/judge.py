"""Judging a result: against a reference in float64, with a tolerance that comes from what the input's precision costs."""

import contextlib
import re

import numpy as np

from autograder.hidden.outcomes import Opaque, StudentRaised
from autograder.hidden.plain import plain, rounded
from autograder.hidden.student import Reference
from autograder.messages import message, messages, quoted

SHIFT = 0.3  # adding and subtracting it shows what one rounding of the result's dtype costs
FLOOR = 16  # units in the last place that an unusual order of summation may cost beyond that


class Wrong(AssertionError):
    """The student's result is not right. `message` says so to the student."""

    def __init__(self, message):
        super().__init__(str(message))
        self.message = message


class NotHere(Wrong):
    """The same, where what is wrong is what another test is there for: it is named there, and the catalogue is not asked once more."""


def expect(got, want, low=None, dtype=None, name="output", magnitude=1.0):
    """Raise Wrong unless `got` is an array or tensor with the kind, the shape, the dtype and the numbers of what is wanted.

    want: the right numbers, in float64. low: the same computed in the input's precision by the reference; the result has to have its
    kind and dtype, and the tolerance is twice its error plus twice one rounding (Dao's test rule), and never under FLOOR units in the
    last place. dtype: another dtype that the result has to have. magnitude: the largest number that went into an exponential; rounding
    it costs a relative error of that many units. Every element is compared; none may be NaN or infinite.
    """
    want, model = plain(want), plain(want if low is None else low)
    expect_array(got, want.shape, str(dtype) if dtype is not None else model.dtype, name, model.kind)
    got = plain(got)
    if got.numbers.dtype == np.bool_:
        differs = got.numbers != want.numbers
    else:
        expect_finite(got, name)
        differs = np.abs(got.numbers - want.numbers) > tolerance(want, None if low is None else model, got, magnitude)
    if differs.any():
        raise Wrong(describe_difference(got, want, differs, name))


def tolerance(want, low, got, magnitude=1.0):
    """The largest absolute error that is let pass."""
    if want.numbers.size == 0 or got.eps == 0:
        return 0.0
    of_rounding = np.max(np.abs(rounded(want.numbers, got, SHIFT) - want.numbers))
    of_low = 0.0 if low is None else np.max(np.abs(low.numbers - want.numbers))
    return 2 * of_low + 2 * of_rounding + FLOOR * max(1.0, magnitude) * got.eps * np.max(np.abs(want.numbers))


def expect_array(got, shape, dtype, name, kind="NumPy array"):
    """Raise Wrong unless `got` is of that kind, shape and dtype. A NumPy scalar counts as an array without axes."""
    found = plain(got)
    if found is None or found.kind != kind:
        raise Wrong(another_kind(kind, name, kind_of(got)))
    if found.shape != shape:
        raise Wrong(message("{name} should have shape {expected}, and it has {got}.", name=name, expected=str(shape), got=str(found.shape)))
    if found.dtype != dtype:
        raise Wrong(message("{name} should have dtype {expected}, and it has {got}.", name=name, expected=dtype, got=found.dtype))


def another_kind(kind, name, found):
    """What to say of a result that is no array of the kind that was asked for."""
    if kind == "NumPy array":
        return message("{name} should be a NumPy array, and it is {type}.", name=name, type=found)
    return message("{name} should be a PyTorch tensor, and it is {type}.", name=name, type=found)


def expect_finite(got, name):
    """Raise Wrong where a NaN or an infinity is in it."""
    bad = int(np.count_nonzero(~np.isfinite(got.numbers)))
    if bad:
        raise Wrong(messages("{name} holds {n} number that is NaN or infinite.", "{name} holds {n} numbers that are NaN or infinite.", bad, name=name))


def expect_small(value, most, name):
    """Raise Wrong where the arrays in a value, taken together, hold more than so many numbers."""
    held = count(value)
    if held > most:
        raise Wrong(message("{name} holds {held} numbers, and {most} are enough: it may not grow with the sequence.", name=name, held=held, most=most))


def expect_names(got, want, name):
    """Raise Wrong unless the names of an object's parameters are those that are wanted."""
    if set(got) != set(want):
        expected, found = (quoted(", ".join(sorted(names))) or "–" for names in (want, got))
        raise Wrong(message("`{name}` should have the parameters {expected}, and it has {got}.", name=name, expected=expected, got=found))


def expect_number(got, want, name):
    """Raise Wrong unless the function of that name has returned the number that is wanted."""
    if got != want:
        raise Wrong(message("`{name}` should return {expected}, and it returned {got}.", name=name, expected=f"{want:,}", got=f"{got:,}"))


def no_whole_number(got, name):
    """What to raise where the function of that name has returned something else than a whole number."""
    return Wrong(message("`{name}` should return a whole number, an `int`, and it returned {type}.", name=name, type=kind_of(got)))


def count(value):
    """How many numbers a value holds, tuples, lists and dictionaries gone through."""
    if isinstance(value, (tuple, list)):
        return sum(map(count, value))
    if isinstance(value, dict):
        return sum(map(count, value.values()))
    found = plain(value)
    return 1 if found is None else found.size


def expect_pair(got, name):
    """The two members of a returned pair; raises Wrong where something else came."""
    if not isinstance(got, (tuple, list)) or len(got) != 2:
        raise Wrong(message("`{name}` should return a pair, and it returned {type}.", name=name, type=kind_of(got)))
    return got


def expect_unchanged(outcome, *before):
    """Raise Wrong unless the call has left its arguments as they were."""
    for position, (then, now) in enumerate(zip(before, outcome.arguments), start=1):
        now, then = plain(now), plain(then)
        if now is None or now.shape != then.shape or not np.array_equal(now.numbers, then.numbers, equal_nan=True):
            raise Wrong(message("`{name}` has changed its argument number {position}.", name=outcome.name, position=position))


UNALIKE = {"ValueError", "TypeError"}  # an exception that is both does not say which of them it was


@contextlib.contextmanager
def fails(error, *mentioned):
    """The block has to raise this error in the student's code, and its message has to mention these numbers.

    ValueError and TypeError tell two mistakes apart; one exception that is both at once passes for neither.
    """
    try:
        yield
    except StudentRaised as raised:
        got = raised.outcome.error
        if error not in got["bases"] or (UNALIKE - {error}) & set(got["bases"]):
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
    got, want = got.numbers, want.numbers
    size = np.where(differs, np.abs(got.astype(np.float64) - want.astype(np.float64)), -1)
    worst = np.unravel_index(np.argmax(size), size.shape)
    expected, came = told_apart(want[worst], got[worst])
    return messages(
        "{name}: {n} element of {total} differs; at {place} {expected} was expected, and {got} came.",
        "{name}: {n} elements of {total} differ; the largest difference is at {place}: {expected} was expected, and {got} came.",
        int(differs.sum()),
        name=name, total=got.size, place=str([int(i) for i in worst]), expected=expected, got=came,
    )


def told_apart(x, y):
    """Two numbers as they are shown: with four significant digits, or with as many as it takes to see that they differ."""
    shown = ((number(x, digits), number(y, digits)) for digits in range(4, 18))
    return next((pair for pair in shown if pair[0] != pair[1]), (number(x), number(y)))


def number(x, digits=4):
    """A number with so many significant digits, True and False as they are."""
    return str(bool(x)) if np.asarray(x).dtype == np.bool_ else f"{float(x):.{digits}g}"


def kind_of(value):
    """A value's kind in the words of Python."""
    if isinstance(value, Reference):
        value = value._opaque
    return quoted(value.type_name) if isinstance(value, Opaque) else type(value).__name__
