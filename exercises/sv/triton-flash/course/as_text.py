"""A report as plain text, for a terminal, a test run and a screen without HTML."""

import textwrap

from . import show
from .language import _
from .outcome import Raised

MARKS = {"passed": "✓", "failed": "✗", "skipped": "–", "unwritten": "–", "missing": "–"}


def render(report):
    """The report in lines of text."""
    lines = [f"{MARKS[report.status]} {report.part}: {report.summary}"]
    lines += [f"  {MARKS[result.status]} {result.stage.title}" for result in report.shown]
    if not report.passed:
        lines += [*([""] if report.shown else []), *textwrap.indent("\n".join(details(report)), "    ").splitlines()]
    return "\n".join(lines)


def details(report):
    """What is said about the first failure."""
    first, found = report.first, report.first.difference
    lines = [first.stage.title] if first.status == "failed" else []
    lines += report.said
    if report.note:
        lines.append(report.note)
    if found is None:
        return lines
    for reason in report.reasons:
        lines += ["", _("The likely reason:"), *textwrap.wrap(reason, 100)]
    if first.call:
        heads, arguments = show.call(first.call)
        lines += ["", _("The call:"), *("  " + head for head in heads), *(line for name, x in arguments for line in _named(name, x))]
    for label, x in ((_("Expected:"), found.expected), (_("Yours:"), found.came)):
        if not isinstance(x, Raised):
            lines += ["", label, *(line for one in show.items(found.name, x, first.stage.returns) for line in _named(*one))]
    return lines


def _named(name, x):
    head = f"{name} = " if name else ""
    body = show.value(x).splitlines() or [""]
    tail = f"   # {show.kind(x)}"
    return ["  " + head + body[0] + (tail if len(body) == 1 else "")] + [
        " " * (2 + len(head)) + line + (tail if i == len(body) - 1 else "") for i, line in enumerate(body) if i
    ]
