"""What a class's results come to: counts, means, and how often each misconception was met."""

import ast
import statistics
from collections import Counter
from dataclasses import dataclass

from autograder.reports.reading import STATUSES

BINS = 10  # of the histogram, and one more for full marks
MOST_COLUMNS = 100  # tests in the picture


@dataclass(frozen=True)
class TestFigures:
    """One hidden test over the whole class."""

    id: str
    short: str  # without the assignment's name
    part: str
    sentence: str
    max_points: float
    counts: dict  # {status: number of students}

    @property
    def ran(self):
        return sum(self.counts[status] for status in STATUSES if status != "deferred")


@dataclass(frozen=True)
class Misconception:
    """A fault of the catalogue, and who has it."""

    id: str
    explanation: str
    tests: tuple  # short names of the tests that met it
    results: tuple


@dataclass(frozen=True)
class Figures:
    """The figures of a class."""

    tests: tuple
    misconceptions: tuple  # the commonest first
    scores: tuple
    max_score: float
    unexplained: tuple  # results that could be read and have failures, and no misconception
    left_out: int  # tests beyond MOST_COLUMNS

    @property
    def mean(self):
        return statistics.fmean(self.scores) if self.scores else 0.0

    @property
    def median(self):
        return statistics.median(self.scores) if self.scores else 0.0


def figures(results, assignment):
    """The Figures of a sequence of Results; the Assignment gives sentences and explanations in English."""
    tests, left_out = _tests(results, assignment)
    return Figures(
        tests=tests,
        misconceptions=_misconceptions(results, assignment),
        scores=tuple(result.score for result in results),
        max_score=max((result.max_score for result in results), default=0.0),
        unexplained=tuple(result for result in results if result.failures and not result.misconceptions and not result.note),
        left_out=left_out,
    )


def histogram(results):
    """How many results lie in each tenth of their maximum, [0, 10 %) to [90, 100 %), and last those with full marks."""
    counts = [0] * (BINS + 1)
    for result in results:
        share = result.score / result.max_score if result.max_score else 0.0
        counts[min(BINS, int(share * BINS + 1e-9))] += 1
    return counts


def short_name(test_id, assignment):
    """A test's name without its assignment's."""
    return test_id.removeprefix(f"{assignment}.") or test_id


def _tests(results, assignment):
    counts, first = {}, {}
    for test in (test for result in results for test in result.tests):
        first.setdefault(test.id, test)
        counts.setdefault(test.id, Counter())[test.status] += 1
    known = sentences(assignment)
    order = {test_id: n for n, test_id in enumerate(known)}
    ids = sorted(first, key=lambda test_id: order.get(test_id.split("[")[0], len(order)))  # stable: unknown ones as they came
    made = (
        TestFigures(test_id, short_name(test_id, assignment.name), first[test_id].part, known.get(test_id.split("[")[0], ""),
                    first[test_id].max_points, {status: counts[test_id][status] for status in STATUSES})
        for test_id in ids[:MOST_COLUMNS]
    )
    return tuple(made), max(0, len(ids) - MOST_COLUMNS)


def sentences(assignment):
    """{test id: docstring in one line} of the hidden tests, in their order; read, not run."""
    functions = ast.parse(assignment.hidden_tests.read_text(encoding="utf-8")).body
    return {
        f"{assignment.name}.{node.name.removeprefix('test_').replace('_', '-')}": " ".join((ast.get_docstring(node) or "").split())
        for node in functions if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
    }


def _misconceptions(results, assignment):
    who, where = {}, {}
    for result in results:
        for test in result.tests:
            if test.misconception:
                who.setdefault(test.misconception, {})[result.student] = result
                where.setdefault(test.misconception, {})[short_name(test.id, assignment.name)] = True
    explanations = {name: variant.explanation for name, variant in assignment.wrong.items()}
    found = (Misconception(name, explanations.get(name, ""), tuple(where[name]), tuple(who[name].values())) for name in who)
    return tuple(sorted(found, key=lambda misconception: (-len(misconception.results), misconception.id)))
