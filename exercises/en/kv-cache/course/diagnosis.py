"""The likely reason of a failure: the typical mistakes whose recorded outcomes are those that the student's functions gave."""

import re

from .compare import difference
from .outcome import LONGEST, Raised


def likely(first, results, recorded):
    """The mistakes that explain a part's first failure, best ones alone.

    `first`: the failed Result. `results`: {stage: Result} of everything that ran, without skips. A mistake is a candidate when it
    gave the first failure's outcome; of several, those count that agree with most stages. The kind of an exception alone is no
    evidence, save where the stage says that it is telling: many things raise a ValueError.
    """
    candidates = [name for name, outcome in recorded.mistakes[first.stage.name].items() if difference(outcome, first.outcome) is None]
    candidates = [name for name in candidates if _evidence(name, first, results, recorded)]
    agreement = {name: sum(_agrees(name, result, recorded) for result in results.values()) for name in candidates}
    return [name for name in candidates if agreement[name] == max(agreement.values())]


def _agrees(mistake, result, recorded):
    outcome = recorded.mistakes[result.stage.name].get(mistake)
    if outcome is None:
        return result.status == "passed"
    return result.status == "failed" and difference(outcome, result.outcome) is None


def _evidence(mistake, first, results, recorded):
    """Whether a failed stage gave the very value that the mistake gives; or an exception that speaks for it, after stages that all agree."""
    alike = [result for name, result in results.items() if mistake in recorded.mistakes[name] and _agrees(mistake, result, recorded)]
    if any(not isinstance(result.outcome, Raised) for result in alike):
        return True
    if any(result.stage.telling and result.stage.raises for result in alike):
        return True
    before = list(results.values())[: list(results).index(first.stage.name)]
    return all(_agrees(mistake, result, recorded) for result in before) and any(_speaks(mistake, result, recorded) for result in alike)


def _speaks(mistake, result, recorded):
    """Whether an exception is the mistake's by its message; where its kind is telling the same words with other numbers will do."""
    said, known = result.outcome.message[:LONGEST], recorded.mistakes[result.stage.name][mistake].message
    return words(said) == words(known) if result.stage.telling else bool(said) and said == known


def words(message):
    """A message without its numbers."""
    return re.findall(r"[^\W\d_]+", message)
