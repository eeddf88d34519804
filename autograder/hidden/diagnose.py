"""Finding the likely reason: run the catalogue's wrong solutions on the same inputs, and see which one gives the student's answers."""

import functools
import re

import numpy as np

from autograder.hidden.backends import LocalBackend
from autograder.hidden.outcomes import Opaque
from autograder.hidden.plain import plain
from autograder.hidden.student import Student

CLOSE = 1e-3  # relative to the largest number: the student's order of summation may differ
EXACT, ROOMY = 0.0, None
MOST_KEPT = 8 << 20  # bytes of a test's answers: beyond it they are not kept for a second look, nor is the last asked for once more


def misconception(hidden, test, backend, seed, candidates):
    """The name of the first wrong solution among the candidates which answers as the student's, in `backend`, does; None where there is none.

    A test with a bound on memory that is there for one mistake alone names that mistake where the memory has not been enough.
    """
    if not backend.trace or backend.trace[-1].missing:
        return None
    if test.memory_bytes:  # on inputs as large as these the catalogue is not run here: a solution may need more than there is
        return test.catches[0] if len(test.catches) == 1 and list(candidates) == list(test.catches) and out_of_memory(backend.trace[-1]) else None
    try:
        return _first_alike(hidden, test, backend, seed, candidates)
    except Exception:
        return None  # values so odd that they cannot be compared are nobody's answers; a diagnosis never costs the result


def _first_alike(hidden, test, backend, seed, candidates):
    right, again = (trace_of(hidden, test, backend, None, seed) for _ in range(2))
    settled = [one if same_outcome(one, other, strict=False) else None for one, other in zip(right, again)]  # None: drawn anew, as weights are
    traces = ((name, trace_of(hidden, test, backend, name, seed, settled)) for name in candidates)
    alike = ((name, wrong) for name, wrong in traces if same_answers(backend.trace, wrong, right, hidden.assignment.solution_source))
    error = backend.trace[-1].error
    if error:  # of several the one whose message has the same numbers in it, too
        alike = iter(sorted(alike, key=lambda one: one[1][len(backend.trace) - 1].error["message"] != error["message"]))
    return next((name for name, _ in alike), None)


def unsettled(hidden, test, backend):
    """Whether the last question, put to the student's code once more, has another answer, and to the reference the same as before.

    What keeps a state, as a cache does, may answer differently: then the reference does so too, or an object of the student's is an argument.
    """
    if test.memory_bytes or backend.fed_back or not backend.trace or backend.trace[-1].missing or backend.trace[-1].error:
        return False
    if backend.received > MOST_KEPT:
        return False
    _, order, _ = backend.asked[-1]
    if any(isinstance(node, dict) and node["kind"] == "object" for node in (*order["args"], *order["kwargs"].values())):
        return False
    try:
        local = LocalBackend(namespace_of(hidden.assignment, None), hidden.assignment.arrays)
        for asked in [*backend.asked, backend.asked[-1]]:
            local.answer(asked)
        right, again = local.trace[-2:]
        if right.error or not same_outcome(right, again, strict=False):
            return False
        return not same_outcome(backend.trace[-1], backend.again(), strict=False)
    except Exception:
        return False  # no answer, or none that can be compared


def out_of_memory(outcome):
    """Whether a call has ended because no more memory was to be had."""
    error = outcome.error
    return bool(error) and (error["type"] in ("MemoryError", "OutOfMemoryError") or "allocate memory" in error["message"])


def trace_of(hidden, test, backend, name, seed, right=()):
    """The outcomes that a variant of the catalogue, or the reference (name None), gives to what the student's functions were asked.

    right: the reference's outcomes, None for those that nobody can foretell. Where they are given the trace ends at the first answer before the last
    that is neither the reference's nor the student's: the test would have ended there. Where an answer went into a later question the whole test is run, so that the variant is asked with its own.
    """
    local = LocalBackend(namespace_of(hidden.assignment, name), hidden.assignment.arrays)
    if backend.fed_back:
        hidden.run(test, Student(local), seed)
        return local.trace
    n = len(backend.trace)
    for place, asked in enumerate(backend.asked[:n]):
        outcome = local.answer(asked)
        known = right[place] if place < min(n - 1, len(right)) else None
        if known is not None and not any(same_outcome(outcome, one, strict=False, how=ROOMY) for one in (known, backend.trace[place])):
            break
    return local.trace


@functools.lru_cache(maxsize=1024)
def namespace_of(assignment, name):
    """The names of a variant, or of the reference."""
    return assignment.namespace() if name is None else assignment.wrong[name].namespace()


def same_answers(student, wrong, right, source):
    """Whether the student's last answer, the one that the test stopped at, is the wrong solution's and not the right one's.

    The answers before it have passed, for the wrong solution too, or its trace would have ended there.
    """
    last = len(student) - 1
    if len(wrong) <= last or len(right) <= last:
        return False
    if not right[last].error and not same_complaint(student[last], wrong[last], source):
        return False
    if same_outcome(wrong[last], right[last], strict=True):  # too near to each other to tell by the size of a difference, but perhaps by every bit
        return same_outcome(student[last], wrong[last], True, EXACT) and not same_outcome(wrong[last], right[last], True, EXACT)
    in_values = not same_outcome(wrong[last], right[last], strict=False)  # or in dtypes, or in what has become of the arguments
    return same_outcome(student[last], wrong[last], strict=not in_values)


def same_complaint(student, wrong, source):
    """Whether two unexpected exceptions complain about the same, in the same words, save for words that the student has chosen.

    source: the solution's. A line that stands there has been given to the student, too.
    """
    if not (student.error and wrong.error):
        return True
    line = student.error["line"]
    return line.startswith("raise ") and line not in source or words(student.error["message"]) == words(wrong.error["message"])


def words(message):
    """A message without its numbers."""
    return re.findall(r"[^\W\d_]+", message)


def same_outcome(a, b, strict, how=CLOSE):
    """Whether two outcomes agree: the same numbers, the same kind of error. strict: the same dtypes and arguments afterwards, too.

    how: how far numbers may be apart, relative to the largest; ROOMY: by what computing in their dtype costs, too, which a test lets pass.
    """
    if a.error or b.error:
        return bool(a.error and b.error) and a.error["type"] == b.error["type"]
    if a.missing or b.missing:
        return a.missing == b.missing
    compared = [(a.value, b.value), (a.parameters, b.parameters)]
    if strict or a.parameters is not None:  # the arguments' gradients are results, too
        compared.append((a.arguments, b.arguments))
    return all(same_value(x, y, strict, how) for x, y in compared)


def same_value(a, b, strict, how=CLOSE):
    """Whether two values agree to about three digits; NaN agrees with NaN."""
    if isinstance(a, (tuple, list)) and isinstance(b, (tuple, list)):
        return len(a) == len(b) and all(same_value(x, y, strict, how) for x, y in zip(a, b))
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(same_value(a[key], b[key], strict, how) for key in a)
    if plain(a) is not None and plain(b) is not None:
        return same_array(a, b, strict, how)
    if isinstance(a, Opaque) and isinstance(b, Opaque):
        return a.type_name == b.type_name
    return type(a) is type(b) and a == b


def same_array(a, b, strict, how=CLOSE):
    """Whether two arrays agree: a, the student's; b, the wrong solution's."""
    a, b = plain(a), plain(b)
    if a.shape != b.shape or (strict and (a.dtype, a.kind) != (b.dtype, b.kind)):
        return False
    x, y = (one.numbers.astype(np.float64) for one in (a, b))
    if not np.array_equal(np.where(np.isfinite(x), 0, x), np.where(np.isfinite(y), 0, y), equal_nan=True):
        return False
    finite = np.isfinite(x)
    scale = np.max(np.abs(y[finite]), initial=0.0)
    close = max(CLOSE, 16 * b.eps) if how is ROOMY else how
    return bool(np.all(np.abs(x[finite] - y[finite]) <= close * scale))
