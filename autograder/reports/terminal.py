"""A summary for the terminal: a line a student, with a letter for each hidden test."""

import unicodedata

from autograder import remark
from autograder.reports.figures import figures
from autograder.reports.text import counted, cut, points

LETTERS = {"passed": ".", "failed": "F", "error": "E", "timeout": "T", "deferred": "d"}
WIDTH = 32  # of a name
COMMONEST = 8


def render(class_results, assignment):
    """The table as text."""
    results = class_results.results
    found = figures(results, assignment)
    marks = [_marks(result, found.tests) for result in results]
    width = max((len(line) for line in marks), default=0)
    lines = [_line(result, line.ljust(width)) for result, line in zip(results, marks)]
    lines += ["", f"{padded(counted(len(results), 'submission', 'submissions'))} mean {points(found.mean)}, median {points(found.median)}"
              f" of {points(found.max_score)}", ". passed   F failed   E error   T timeout   d deferred"]
    if found.misconceptions:
        lines += ["", "The commonest misconceptions:"]
        lines += [f"{len(m.results):5}  {m.id}: {m.explanation}" for m in found.misconceptions[:COMMONEST]]
    return "\n".join(lines) + "\n"


def _line(result, marks):
    score = f"{points(result.score):>6} / {points(result.max_score):<5}"
    return f"{padded(cut(result.name, WIDTH))} {score} {marks}  {_remark(result)}".rstrip()


def padded(name, width=WIDTH):
    """A name filled up with spaces to its column; East Asian characters take two places, accents none."""
    return name + " " * max(0, width - sum(_places(c) for c in name))


def _places(character):
    if unicodedata.combining(character) or character in "\u200c\u200d":
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def _marks(result, tests):
    """A letter for each test, a space between the parts of the exercise."""
    status, line, part = {test.id: test.status for test in result.tests}, "", None
    for test in tests:
        line += " " if part not in (None, test.part) else ""
        line += LETTERS[status[test.id]] if test.id in status else "-"
        part = test.part
    return line


def _remark(result):
    note = result.note and cut(" ".join(result.note.split()), 80)
    return cut(", ".join(remark.words(note, result.found, [kind for kind, _ in result.flags], result.open_points)), 120)
