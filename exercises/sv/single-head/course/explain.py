"""What a failed check is put into words as: sentences in the student's language. `code` stands between backticks."""

import re

import numpy as np

from .language import _, ngettext
from .outcome import Raised
from .tensors import dtype_of

LIMIT = 300  # characters of a student's own text


def sentences(result):
    """What went wrong in a failed stage, in one to four sentences."""
    found = result.difference
    said = SAY[found.kind](found, result.stage)
    if isinstance(found.came, Raised):
        said += [sentence for words, sentence in OFTEN.items() if words in found.came.message][:1]
    if result.unsettled:
        said.append(_("The same call gave another result the second time: your code draws random numbers (dropout?), "
                      "or keeps something from one call to the next."))
    if isinstance(found.came, Raised) and found.came.line:
        said.append(_("It happened in your line {number}: `{line}`").format(number=found.came.line_number, line=quoted(found.came.line)))
    return said


def _raised(found, stage):
    said = [_("The call raised an exception, {exception}.").format(exception=_exception(found.came))]
    absent = re.fullmatch(r"'(\w+)' object has no attribute '(\w+)'", found.came.message)
    if found.came.name == "AttributeError" and absent and absent[1] == stage.part:
        said.append(_("`self.{name}` is used before anything is kept under this name: `__init__` should do so.").format(name=absent[2]))
    return said


def _returned(found, stage):
    return [_("The call should raise a `{exception}`, but it returned a result.").format(exception=stage.raises or found.expected.name)]


def _exception_differs(found, stage):
    text = _("The call should raise a `{expected}`, but it raised {exception}.")
    return [text.format(expected=stage.raises or found.expected.name, exception=_exception(found.came))]


def _message(found, stage):
    text = _("The message of the `{exception}` should name these numbers: {numbers}. It says: {message}")
    numbers = ", ".join(str(number) for number in stage.numbers)
    return [text.format(exception=found.came.name, numbers=numbers, message=quoted(found.came.message) or "–")]


def _nothing(found, stage):
    if found.name:
        return [_("{name} is `None`.").format(name=_name(found))]
    return [_("The function returned `None`. Is a `return` missing?")]


def _type(found, stage):
    text = _("{name} should be of type `{expected}`, and is of type `{came}`.")
    said = text.format(name=_name(found), expected=type(found.expected).__name__, came=quoted(type(found.came).__name__))
    return [said, *(_order(stage) if type(found.expected) is tuple else [])]


def _count(found, stage):
    n = len(found.expected)
    text = ngettext(
        "The function should return {n} result, and it returned {came}.",
        "The function should return {n} results, and it returned {came}.",
        n,
    )
    return [text.format(n=n, came=len(found.came)), *_order(stage)]


def _order(stage):
    """The names of several results, as a sentence."""
    names = ", ".join(f"`{name}`" for name in stage.returns)
    return [_("The results are, in this order: {names}.").format(names=names)] if names else []


def _shape(found, stage):
    text = _("{name} should have the shape `{expected}`, and has `{came}`.")
    return [text.format(name=_name(found), expected=found.expected.shape, came=found.came.shape)]


def _dtype(found, stage):
    text = _("{name} should have the dtype `{expected}`, and has `{came}`.")
    return [text.format(name=_name(found), expected=dtype_of(found.expected), came=dtype_of(found.came))]


def _values(found, stage):
    if found.where is None or found.where.size == 1:
        return [_("{name} has another value than expected.").format(name=_name(found))]
    n, total = int(found.where.sum()), found.where.size
    text = ngettext("{name}: {n} of {total} entries differs.", "{name}: {n} of {total} entries differ.", n)
    said = [text.format(name=_name(found), n=n, total=total)]
    if np.issubdtype(found.came.dtype, np.floating):
        odd = int((np.isnan(found.came) & ~np.isnan(found.expected)).sum())
        if odd:
            said.append(ngettext("{n} entry is NaN, not a number.", "{n} entries are NaN, not a number.", odd).format(n=odd))
        else:
            said.append(_("The largest difference is {size}.").format(size=f"{largest(found):.3g}"))
    return said


def _library(found, stage):
    text = _("This exercise asks for attention of your own, and your code called {function}.")
    return [text.format(function=f"`{quoted(found.came.message)}`")]


SAY = {
    "library": _library,
    "raised": _raised,
    "returned": _returned,
    "exception": _exception_differs,
    "message": _message,
    "nothing": _nothing,
    "type": _type,
    "count": _count,
    "shape": _shape,
    "dtype": _dtype,
    "values": _values,
}


OFTEN = {  # what PyTorch means, by words of its message, where the message says little to a beginner
    "Boolean value of Tensor with more than one value": _(
        "Python asks whether a whole tensor is true or false, as `if`, `max(a, b)` and `min(a, b)` do. "
        "`torch.maximum(a, b)` and `torch.where(…)` work place by place."
    ),
    "have the same dtype": _("A matrix product takes tensors of one dtype: `.to(dtype)` makes them alike."),
    "must have same number of dimensions": _("Tensors that are put side by side have the same number of axes. `x[:, None]` adds one."),
    "match the broadcast shape": _(
        "What is written into a tensor in place, by `+=` for instance, may not be larger than the tensor. "
        "`x.sum_to_size(shape)` sums what was broadcast."
    ),
}


def largest(found):
    """The largest absolute difference between two arrays of floating-point numbers, taken where they differ."""
    with np.errstate(invalid="ignore", over="ignore"):
        apart = np.abs(found.came.astype(np.float64) - found.expected.astype(np.float64))
    return apart[found.where].max()


def quoted(text):
    """A student's own text on one line, without backticks (they mark code here) and control characters, and cut."""
    line = "".join(c if c.isprintable() else " " for c in str(text).replace("`", "'"))
    line = " ".join(line.split())
    return line if len(line) <= LIMIT else line[: LIMIT - 1] + "…"


def _exception(came):
    message = quoted(came.message)
    return f"`{came.name}: {message}`" if message else f"`{came.name}`"


def _name(found):
    return f"`{found.name}`" if found.name else _("The result")
